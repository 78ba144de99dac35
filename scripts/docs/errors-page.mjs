// docs/reference/errors.md: the mistakes of a user, found in the source: calls of mistake() and userError(), and objects with a code, a message and a hint.
import { cell, code, generated, page, sources, table } from './markdown.mjs';

export async function errorsPage(root) {
  const found = (await sources(root)).flatMap(([path, text]) => mistakesIn(text).map((m) => ({ ...m, path })));
  const byCode = Map.groupBy === undefined ? groupByCode(found) : Map.groupBy(found, (mistake) => mistake.code);
  const rows = [...byCode]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, list]) => [code(name), both(list, 'message'), both(list, 'hint')]);
  return page(
    '# Mistakes and what to do · 错误与处理',
    generated,
    'What llmdyno says when it cannot go on because of something you can mend; all mistakes are told at once, with their place (flag, file and line), and the exit code is 2, or 3 where the server is the matter. `…` stands for a part that differs from case to case. A server that cannot be tested is told by its [cause](problems.md) (`dns`, `connect-refused`, `http-4xx` …) as the code. Codes whose words are put together elsewhere are listed without them.',
    '当问题可由用户解决时 llmdyno 的提示；所有错误一次列出，并注明位置（参数、文件与行号）。退出码为 2；与服务器有关时为 3。`…` 表示随情况变化的内容。无法测试的服务器以其[原因](problems.md)作为代码。',
    table(['code', 'message · 提示', 'what to do · 处理'], rows),
  );
}

function groupByCode(found) {
  const groups = new Map();
  for (const mistake of found) groups.set(mistake.code, [...(groups.get(mistake.code) ?? []), mistake]);
  return groups;
}

/** The words of every place that makes this mistake, each once, English and Chinese. */
function both(list, part) {
  const phrases = list.flatMap((mistake) => mistake[part]);
  const unique = [...new Set(phrases.map(({ en, zh }) => `${cell(en)}<br>${cell(zh)}`))];
  return unique.join('<br>– – –<br>');
}

function mistakesIn(text) {
  const lines = text.split('\n');
  const mistakes = called(text);
  for (const [number, line] of lines.entries()) {
    const opening = /(?:^|[\s{(])code: (.*)/.exec(line);
    const codes = opening === null ? [] : [...opening[1].matchAll(/'([a-z0-9-]+)'/g)].map((match) => match[1]);
    // A function that is given the code first: missing('card-missing', …).
    const given = /\bmissing\('([a-z-]+-[a-z-]+)',/.exec(line);
    if (given !== null) mistakes.push({ code: given[1], message: phrasesIn(line), hint: [] });
    if (codes.length === 0) continue;
    const body = line.includes('}') ? line : objectFrom(lines, number);
    const hintAt = body.search(/\bhint\b/);
    const messageAt = body.search(/\bmessage\b/);
    if (hintAt === -1 || messageAt === -1) continue;
    const message = phrasesIn(body.slice(messageAt, hintAt));
    const hint = phrasesIn(body.slice(hintAt));
    const wanted = line.includes('}') ? codes.slice(0, 1) : codes;
    for (const name of wanted) mistakes.push({ code: name, message, hint });
  }
  return mistakes;
}

/** mistake('code', en, zh, hintEn, hintZh) and userError(…), which takes the same. */
function called(text) {
  return [...text.matchAll(/\b(?:mistake|userError)\(/g)].flatMap((match) => {
    const [codes = '', ...said] = argumentsAt(text, match.index + match[0].length);
    const told = (en, zh) =>
      isLiteral.test(en) && isLiteral.test(zh) ? [{ en: plain(en), zh: plain(zh) }].filter(isWords) : [];
    return [...codes.matchAll(/'([a-z0-9-]+)'/g)].map(([, name]) => ({
      code: name,
      message: told(said[0], said[1]),
      hint: told(said[2], said[3]),
    }));
  });
}

/** What stands between the commas of a call that opens before this place. */
function argumentsAt(text, from) {
  const parts = [''];
  for (let at = from, depth = 0; at < text.length;) {
    aLiteral.lastIndex = at;
    const piece = aLiteral.exec(text)?.[0] ?? text[at];
    if (piece === ')' && depth === 0) break;
    if ('([{'.includes(piece)) depth += 1;
    if (')]}'.includes(piece)) depth -= 1;
    if (piece === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += piece;
    at += piece.length;
  }
  return parts.map((part) => part.trim());
}

/** The lines of the object that a property on this line belongs to; the formatter's indentation says where it ends. */
function objectFrom(lines, first) {
  const indent = /^ */.exec(lines[first])[0].length;
  let last = first;
  while (last + 1 < lines.length && (lines[last + 1].trim() === '' || /^ */.exec(lines[last + 1])[0].length >= indent))
    last += 1;
  return lines.slice(first, last + 1).join('\n');
}

const literal = String.raw`'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\`(?:[^\`\\]|\\.)*\``;
const phrase = new RegExp(String.raw`\ben:\s*(${literal})\s*,\s*zh:\s*(${literal})`, 'g');
const aLiteral = new RegExp(literal, 'y');
const isLiteral = new RegExp(`^(?:${literal})$`);

/** The phrases that stand in a piece of source, with … for what is filled in. */
function phrasesIn(source) {
  const all = [...source.matchAll(phrase)].map(([, en, zh]) => ({ en: plain(en), zh: plain(zh) }));
  return all.filter(isWords);
}

/** Words that are put together from other words say nothing here. */
function isWords({ en }) {
  return en !== '…';
}

function plain(text) {
  const inside = text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  if (!text.startsWith('`')) return inside;
  let out = '';
  for (let at = 0; at < inside.length; at++) {
    if (!inside.startsWith('${', at)) {
      out += inside[at];
      continue;
    }
    let depth = 0;
    do {
      if (inside[at] === '{') depth += 1;
      if (inside[at] === '}') depth -= 1;
      at += 1;
    } while (at < inside.length && (depth > 0 || inside[at - 1] === '$'));
    at -= 1;
    out += '…';
  }
  return out.replaceAll(/…(\s*…)+/g, '…');
}
