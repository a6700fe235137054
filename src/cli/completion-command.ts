import { type CliCommand, flagsOf, only, UsageError } from './command-line.ts'

/** A command as completion needs it. */
interface Known {
  name: string
  summary: string
  flags: { name: string; takesValue: boolean; help: string; words: string[] }[]
}

const SHELLS: Record<string, (commands: Known[]) => string> = { bash, zsh, fish }

export const completionCommand: CliCommand = {
  name: 'completion',
  summary: 'Prints a script that completes commands and flags in bash, zsh or fish.',
  positionals: 'bash|zsh|fish',
  flags: {},
  run: async (call) => {
    const shell = only(call.positionals, 'shell: bash, zsh or fish')
    const write = SHELLS[shell]
    if (!write) throw new UsageError(`There is no completion for ${shell}, only for ${Object.keys(SHELLS).join(', ')}.`)
    const commands = (await call.allCommands()).map(describe)
    const script = write(commands)
    call.print({ shell, script }, () => script)
  },
}

function describe(command: CliCommand): Known {
  const flags = Object.entries(flagsOf(command)).map(([name, flag]) => ({
    name,
    takesValue: flag.value !== undefined,
    help: flag.help,
    // `on|off` lists the words themselves; `<number>` only says what is wanted.
    words: (flag.value ?? '').split('|').filter((word) => /^[a-z][a-z0-9-]*$/.test(word)),
  }))
  return { name: command.name, summary: command.summary, flags }
}

/** For each beginning of a command the words that can follow. */
function wordsAfter(commands: Known[]): Map<string, Map<string, string>> {
  const after = new Map<string, Map<string, string>>()
  for (const { name, summary } of commands) {
    const words = name.split(' ')
    for (const [at, word] of words.entries()) {
      const before = words.slice(0, at).join(' ')
      const next = after.get(before) ?? new Map<string, string>()
      after.set(before, next)
      if (at === words.length - 1) next.set(word, summary)
      else if (!next.has(word)) next.set(word, `Commands about ${[...words.slice(0, at), word].join(' ')}.`)
    }
  }
  return after
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** The words of the command line up to the first flag, as bash and zsh find them. */
const bashWords = (current: string): string => `  local at="" word
  for word in ${current}; do
    case "$word" in -*) break ;; esac
    case "$(_rostra_after "$at")" in *" $word "*) at="\${at:+$at }$word" ;; *) break ;; esac
  done`

function tables(commands: Known[]): string {
  const after = [...wordsAfter(commands)].map(
    ([before, next]) => `    ${quoted(before)}) echo ${quoted(` ${[...next.keys()].join(' ')} `)} ;;`,
  )
  const flags = commands.map(
    ({ name, flags: all }) => `    ${quoted(name)}) echo ${quoted(all.map((flag) => `--${flag.name}`).join(' '))} ;;`,
  )
  const values = new Map<string, string>()
  for (const { name, flags: all } of commands)
    for (const flag of all) if (flag.takesValue) values.set(`${name} --${flag.name}`, flag.words.join(' '))
  const known = [...values].map(([key, words]) => `    ${quoted(key)}) echo ${quoted(`=${words}`)} ;;`)
  return `_rostra_after() {
  case "$1" in
${after.join('\n')}
  esac
}
_rostra_flags() {
  case "$1" in
${flags.join('\n')}
  esac
}
# "=" and the words of a flag that takes a value; nothing for a switch.
_rostra_value() {
  case "$1" in
${known.join('\n')}
  esac
}`
}

function bash(commands: Known[]): string {
  return `# rostra completion for bash: source <(rostra completion bash)
${tables(commands)}
_rostra() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
${bashWords(`"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  local value
  value="$(_rostra_value "$at $before")"
  if [ -n "$value" ]; then
    COMPREPLY=($(compgen -W "\${value#=}" -- "$current"))
    if [ "$value" = "=" ]; then COMPREPLY=($(compgen -f -- "$current")); fi
    return
  fi
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$(_rostra_flags "$at") --help" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$(_rostra_after "$at")" -- "$current")) ;;
  esac
}
complete -F _rostra rostra`
}

function zsh(commands: Known[]): string {
  return `#compdef rostra
# rostra completion for zsh: source <(rostra completion zsh), after compinit
${tables(commands)}
_rostra() {
  emulate -L zsh -o sh_word_split
  local current="\${words[CURRENT]}" before="\${words[CURRENT-1]}"
${bashWords(`"\${(@)words[2,CURRENT-1]}"`)}
  local value
  value="$(_rostra_value "$at $before")"
  if [ "$value" = "=" ]; then _files; return; fi
  if [ -n "$value" ]; then compadd -- \${value#=}; return; fi
  case "$current" in
    -*) compadd -- $(_rostra_flags "$at") --help ;;
    *) compadd -- $(_rostra_after "$at") ;;
  esac
}
compdef _rostra rostra`
}

function fish(commands: Known[]): string {
  const lines: string[] = []
  const words = wordsAfter(commands)
  for (const [before, next] of words)
    for (const [word, summary] of next)
      lines.push(
        `complete -c rostra -f -n ${quoted(`_rostra_at ${quoted(before)}`)} -a ${word} -d ${fishQuoted(summary)}`,
      )
  for (const { name, flags } of commands)
    for (const flag of flags) {
      const takes = flag.takesValue ? (flag.words.length > 0 ? ` -x -a ${quoted(flag.words.join(' '))}` : ' -r') : ''
      lines.push(
        `complete -c rostra -n ${quoted(`_rostra_at ${quoted(name)}`)} -l ${flag.name}${takes} -d ${fishQuoted(flag.help)}`,
      )
    }
  return `# rostra completion for fish: rostra completion fish | source
function _rostra_at
  set -l given
  for word in (commandline -opc)[2..-1]
    string match -q -- '-*' $word; and break
    contains -- (string join ' ' $given $word) $_rostra_beginnings; or break
    set given $given $word
  end
  test (string join ' ' $given) = "$argv[1]"
end
set -g _rostra_beginnings ${[...new Set([...words.keys(), ...commands.map((item) => item.name)])]
    .filter((item) => item !== '')
    .map(fishQuoted)
    .join(' ')}
${lines.join('\n')}`
}

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
