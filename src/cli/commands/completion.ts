import { exitCodes, userError } from '../../core/index.ts';
import { argument, example } from '../command.ts';
import type { CommandFile } from '../command.ts';
import { commands } from '../commands.ts';
import { commonFlags } from '../parse.ts';

type Flags = Readonly<Record<string, readonly string[]>>;

/** Commands whose words name something in the store. */
const named = ['report', 'compare', 'audit', 'fit', 'runs'];

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

export const command: CommandFile = {
  about: { en: 'Print a completion script for your shell.', zh: '输出命令补全脚本。' },
  arguments: [argument('<shell>', 'bash, zsh or fish', 'bash、zsh 或 fish')],
  flags: {},
  examples: [
    example(
      'source <(dyno completion bash)',
      'for this shell; put it into ~/.bashrc to keep it',
      '仅当前 shell；写入 ~/.bashrc 可长期生效',
    ),
    example('dyno completion fish > ~/.config/fish/completions/dyno.fish', 'for fish', '用于 fish'),
  ],
  async run(given) {
    const shell = given.args[0]!;
    if (!Object.hasOwn(shells, shell)) {
      throw userError(
        'unknown-shell',
        `no completion for "${shell}"`,
        `不支持 "${shell}" 的补全`,
        'Choose bash, zsh or fish.',
        '可选 bash、zsh、fish。',
      );
    }
    const flags: Record<string, string[]> = {};
    for (const [name, entry] of Object.entries(commands)) {
      const { command: file } = await entry.load();
      flags[name] = Object.values({ ...file.flags, ...commonFlags }).map((flag) => `--${flag.name}`);
    }
    given.io.out(shells[shell as keyof typeof shells](flags));
    return exitCodes.ok;
  },
};

function bashScript(flags: Flags): string {
  const cases = Object.entries(flags).map(([name, list]) => `    ${name}) words="${list.join(' ')} --help" ;;`);
  return `_dyno() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words
  if [ "$COMP_CWORD" -eq 1 ]; then COMPREPLY=($(compgen -W "${Object.keys(flags).join(' ')}" -- "$word")); return; fi
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [[ "$word" == -* ]]; then COMPREPLY=($(compgen -W "$words" -- "$word")); return; fi
  COMPREPLY=($(compgen -f -- "$word"))
  case "\${COMP_WORDS[1]}" in
    ${named.join('|')})
      # compgen -W would run what a stranger's label holds: names are compared and never expanded.
      local name base="\${word%%[/[]*}" plain="\${word//\\\\/}"
      [[ "$word" == *[/[]* && ! -e "$base" ]] || base=""
      while IFS= read -r name; do
        [[ "$name" == "$plain"* ]] && COMPREPLY+=("$name")
      done < <(dyno runs addresses \${base:+"$base"} 2>/dev/null)
  esac
}
complete -o filenames -F _dyno dyno llmdyno
`;
}

function zshScript(flags: Flags): string {
  const cases = Object.entries(flags).map(([name, list]) => `    ${name}) compadd -- ${list.join(' ')} --help ;;`);
  return `#compdef dyno llmdyno
_dyno() {
  if (( CURRENT == 2 )); then compadd -- ${Object.keys(flags).join(' ')}; return; fi
  if [[ "$words[CURRENT]" != -* ]]; then
    case "$words[2]" in
      ${named.join('|')})
        local base="\${words[CURRENT]%%[/\\[]*}"
        [[ "$words[CURRENT]" == *[/\\[]* && ! -e "$base" ]] || base=""
        compadd -- "\${(@f)$(dyno runs addresses \${base:+"$base"} 2>/dev/null)}"
    esac
    _files
    return
  fi
  case "$words[2]" in
${cases.join('\n')}
  esac
}
compdef _dyno dyno llmdyno
`;
}

function fishScript(flags: Flags): string {
  const lines = Object.entries(flags).flatMap(([name, list]) => [
    `complete -c dyno -n __fish_use_subcommand -f -a ${name}`,
    ...list.map((flag) => `complete -c dyno -n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
  ]);
  const runs = named.map(
    (name) =>
      `complete -c dyno -n '__fish_seen_subcommand_from ${name}' -a '(dyno runs addresses (commandline -ct | string match -r "^[^/[]+(?=[/[])") 2>/dev/null)'`,
  );
  return `${[...lines, ...runs].join('\n')}\n`;
}
