// The closed lists: causes of failure, doubts about a result, exit codes.
import { cell, code, generated, page, sources, table } from './markdown.mjs';

/** docs/reference/problems.md. */
export function problemsPage({ problems }) {
  return page(
    '# Why a request did not end ok · 请求失败的原因',
    generated,
    'Every planned request ends in exactly one of ok, failed, cancelled, dropped; whatever is not ok has one cause from this closed list, in `problem.code` of its record and in `counts.byProblem` of the summary. The status and the first 300 characters of what the server or the system said are kept with it.',
    '每个计划中的请求都恰好归入 ok、failed、cancelled、dropped 之一；非 ok 的请求有且只有下表中的一个原因，写在记录的 `problem.code` 与汇总的 `counts.byProblem` 中，并保留状态码和服务器（或系统）原话的前 300 个字符。',
    table(
      ['code', 'meaning', '含义'],
      Object.entries(problems).map(([name, { en, zh }]) => [code(name), cell(en), cell(zh)]),
    ),
    '`cancelled` and `not-sent` count as cancelled, `dropped-late` as dropped, everything else as failed.',
  );
}

/** docs/reference/findings.md. */
export function findingsPage({ limits, pointRules, neighbourRules, sweepRules, comparisonRules, sideRules }) {
  const rows = (rules) =>
    rules.map(({ code: name, severities, meaning, taughtBy }) => [
      code(name),
      severities.join(', '),
      `${cell(meaning.en)}<br>${cell(meaning.zh)}`,
      cell(taughtBy),
    ]);
  const titles = ['code', 'severity', 'meaning · 含义', 'taught by'];
  return page(
    '# Doubts about a result · 对结果的质疑',
    generated,
    'The audit reads every summary and says what speaks against it, each doubt with its evidence and advice in `verdict.findings`. `invalid`: the figures must not be used as they stand, `verdict.valid` is false and the command ends with 5 (unless `--lenient`). A rule that lacks a figure it needs says nothing.',
    '审核会检查每份汇总，并在 `verdict.findings` 中给出疑点、依据和建议。`invalid` 表示数字不能直接使用：`verdict.valid` 为 false，命令以 5 退出（除非加 `--lenient`）。缺少所需数据的规则不作判断。',
    '## One point · 单个测试点',
    table(titles, rows([...pointRules, ...neighbourRules])),
    '## A sweep as a whole · 整个扫描',
    table(titles, rows(sweepRules)),
    '## Two points beside each other · 两点比较',
    table(titles, rows([...comparisonRules, ...sideRules])),
    '## Numbers that can be set · 可修改的数值',
    '`--limit NAME=SHARE` of `dyno run`, `dyno sweep`, `dyno sim` and `dyno audit` sets another number; it is kept in the plan.',
    '`dyno run`、`dyno sweep`、`dyno sim` 与 `dyno audit` 的 `--limit 名称=比例` 可修改；修改值写入计划。',
    table(
      ['name', 'usual', 'meaning · 含义'],
      Object.entries(limits).map(([name, { value, meaning }]) => [
        code(name),
        `${value * 100} %`,
        `${cell(meaning.en)}<br>${cell(meaning.zh)}`,
      ]),
    ),
  );
}

const exitMeanings = {
  ok: ['it worked, and the result is valid', '成功，且结果有效'],
  usage: [
    'a mistake in the command line, a plan file or a dataset; nothing was sent ([errors](errors.md))',
    '命令行、计划文件或数据集有误；未发送任何请求（见 [errors](errors.md)）',
  ],
  unreachable: [
    'the server cannot be tested: not found, refused, not an API, wrong key or model',
    '服务器无法测试：找不到、拒绝连接、不是 API、密钥或模型不对',
  ],
  gateFailed: ['a limit that was set as a gate was broken', '未达到设定的门限'],
  notValid: [
    'the run ended but its figures must not be used ([findings](findings.md)); `--lenient` makes it 0',
    '运行结束，但数字不可用（见 [findings](findings.md)）；加 `--lenient` 则为 0',
  ],
  brokeOff: [
    'it broke off after it had begun, for a reason outside of llmdyno: disk full, store deleted, an odd file system; what was written stays',
    '开始后因外部原因中断：磁盘已满、存储被删除、文件系统异常；已写入的内容保留',
  ],
  bug: ['a bug of llmdyno; please report what it printed', 'llmdyno 的缺陷；请报告其输出'],
  interrupted: [
    'Ctrl-C, SIGTERM or SIGHUP; what was measured is kept and reported as partial',
    'Ctrl-C、SIGTERM 或 SIGHUP；已测得的部分会保存，并标明不完整',
  ],
};

/** docs/reference/exit-codes.md. */
export async function exitCodesPage({ exitCodes }, root) {
  const text = (await sources(root)).map(([, source]) => source).join('\n');
  const rows = Object.entries(exitCodes).map(([name, number]) => {
    const used = name === 'usage' || text.includes(`exitCodes.${name}`);
    const [en, zh] = exitMeanings[name];
    return [
      `${number}`,
      used ? en : `${en}; no command of this version ends with it`,
      used ? zh : `${zh}；当前版本的命令不会返回`,
    ];
  });
  return page(
    '# Exit codes · 退出码',
    generated,
    table(['code', 'meaning', '含义'], rows),
    'A run with failed requests ends with 0 when the figures are valid: failures are data, up to half of the requests and while the server is still there at the end (`--limit`, [findings](findings.md)). To turn them into a gate, read `counts` from `--json`, as [examples/05-ci-gate.sh](../../examples/05-ci-gate.sh) does.',
    '有失败请求但数字有效的运行以 0 退出：失败是数据，前提是失败不过半且服务器直到结束仍在（`--limit`，见 [findings](findings.md)）。需要门禁时，请从 `--json` 读取 `counts`，参见 [examples/05-ci-gate.sh](../../examples/05-ci-gate.sh)。',
  );
}
