import type { Command, CommandOption } from '@amodal/sdk'
import { GLOBAL } from './arguments.ts'

const SUMMARY = 'Print a script that completes commands in a shell'

type Commands = ReadonlyMap<string, Command>
type Shell = 'bash' | 'zsh' | 'fish'
const SHELLS: Readonly<Record<Shell, (words: Words) => string>> = { bash, zsh, fish }

/** The words of a command line: names of commands with what may follow each. */
interface Words {
  /** First words of commands, with a summary. */
  readonly first: ReadonlyMap<string, string>
  /** Second words, by the first one. */
  readonly second: ReadonlyMap<string, ReadonlyMap<string, string>>
  /** Options by the whole name of their command, such as `ops audit`. */
  readonly options: ReadonlyMap<string, Readonly<Record<string, CommandOption>>>
}

/**
 * `amodal completion SHELL`: a script that completes commands and options. It is made of the
 * commands that the agent of the folder has, and starts nothing when a person presses Tab.
 *
 * @param commands those of the folder, without this one
 */
export const completionCommand = (commands: Commands): Command => ({
  summary: SUMMARY,
  usage: 'amodal completion bash|zsh|fish',
  about: [
    'Prints a script for your shell. It has the commands of the agent in this folder, those of its plugins included; print it again after',
    'you have added a plugin.',
  ],
  examples: [
    ['amodal completion bash >> ~/.bashrc', 'for bash'],
    ['amodal completion zsh > "${fpath[1]}/_amodal"', 'for zsh'],
    ['amodal completion fish > ~/.config/fish/completions/amodal.fish', 'for fish'],
  ],
  options: {},
  run: ({ arguments: [shell, ...more], fail, print }) => {
    if (shell === undefined || more.length > 0 || !isShell(shell)) {
      fail(`amodal completion: name one shell: ${Object.keys(SHELLS).join(', ')}`)
      return Promise.resolve(2)
    }
    print(SHELLS[shell](wordsOf(commands)))
    return Promise.resolve(0)
  },
})

const isShell = (name: string): name is Shell => Object.hasOwn(SHELLS, name)

function wordsOf(commands: Commands): Words {
  const first = new Map<string, string>()
  const second = new Map<string, Map<string, string>>()
  const options = new Map<string, Readonly<Record<string, CommandOption>>>()
  first.set('completion', SUMMARY)
  options.set('completion', {})
  for (const [name, command] of [...commands].sort(([a], [b]) => a.localeCompare(b))) {
    const [group = name, sub] = name.split(' ')
    options.set(name, command.options)
    first.set(group, first.get(group) ?? (sub === undefined ? command.summary : `${group} …`))
    if (sub !== undefined)
      second.set(group, new Map([...(second.get(group) ?? []), [sub, command.summary]]))
  }
  return { first, second, options }
}

const flags = (options: Readonly<Record<string, CommandOption>>): readonly string[] =>
  Object.keys({ ...options, ...GLOBAL }).map((name) => `--${name}`)

/** A text within single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function bash({ first, options, second }: Words): string {
  const cases = [...options].map(
    ([name, own]) => `    ${quoted(name)}) words=${quoted(flags(own).join(' '))} ;;`,
  )
  const groups = [...second].map(
    ([group, subs]) => `      ${group}) words=${quoted([...subs.keys()].join(' '))} ;;`,
  )
  return `# amodal completion for bash
_amodal() {
  local current=\${COMP_WORDS[COMP_CWORD]} words=
  COMPREPLY=()
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
    --dir) COMPREPLY=($(compgen -d -- "$current")); return ;;
  esac
  if [[ $current == -* ]]; then
    case "\${COMP_WORDS[1]} \${COMP_WORDS[2]}" in
${[...options.keys()]
  .filter((name) => name.includes(' '))
  .map((name) => `      ${quoted(name)}) name=${quoted(name)} ;;`)
  .join('\n')}
      *) name=\${COMP_WORDS[1]} ;;
    esac
    case "$name" in
${cases.join('\n')}
    esac
  elif [[ $COMP_CWORD -eq 1 ]]; then
    words=${quoted([...first.keys()].join(' '))}
  elif [[ $COMP_CWORD -eq 2 ]]; then
    case "\${COMP_WORDS[1]}" in
${groups.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _amodal amodal`
}

/** `name:summary`, as \`_describe\` of zsh reads it. */
const described = (words: ReadonlyMap<string, string>): string =>
  [...words].map(([word, about]) => quoted(`${word}:${about}`)).join(' ')

function zsh({ first, options, second }: Words): string {
  const groups = [...second].map(
    ([group, subs]) => `      ${group}) words=(${described(subs)}); _describe command words ;;`,
  )
  const cases = [...options].map(([name, own]) => {
    const all = Object.entries({ ...own, ...GLOBAL })
    const texts = all.map(([option, { description }]) => quoted(`--${option}:${description}`))
    return `    ${quoted(name)}) words=(${texts.join(' ')}) ;;`
  })
  return `#compdef amodal
_amodal() {
  local -a words_all=("\${words[@]}") words
  local name="\${words_all[2]}"
  if [[ "$PREFIX" == -* ]]; then
    case "$name" in ${[...second.keys()].join('|') || "''"}) [[ $CURRENT -gt 3 ]] && name="$name \${words_all[3]}" ;; esac
    case "$name" in
${cases.join('\n')}
    esac
    _describe option words
  elif [[ $CURRENT -eq 2 ]]; then
    words=(${described(first)})
    _describe command words
  else
    case "$name" in
${groups.join('\n')}
      *) _files ;;
    esac
  fi
}
compdef _amodal amodal`
}

function fish({ first, options, second }: Words): string {
  const line = (condition: string, rest: string): string =>
    `complete -c amodal -n ${quoted(condition)} ${rest}`
  return [
    '# amodal completion for fish',
    'complete -c amodal -f',
    ...[...first].map(([word, about]) =>
      line('__fish_use_subcommand', `-a ${word} -d ${quoted(about)}`),
    ),
    ...[...second].flatMap(([group, subs]) =>
      [...subs].map(([word, about]) =>
        line(`__fish_seen_subcommand_from ${group}`, `-a ${word} -d ${quoted(about)}`),
      ),
    ),
    ...[...options].flatMap(([name, own]) =>
      Object.entries(own).map(([option, { description, type }]) =>
        line(
          name
            .split(' ')
            .map((word) => `__fish_seen_subcommand_from ${word}`)
            .join('; and '),
          `-l ${option}${type === 'string' ? ' -r' : ''} -d ${quoted(description)}`,
        ),
      ),
    ),
    ...Object.entries(GLOBAL).map(
      ([option, { description, short, type }]) =>
        `complete -c amodal -l ${option}${short === undefined ? '' : ` -s ${short}`}${type === 'string' ? ' -r' : ''} -d ${quoted(description)}`,
    ),
  ].join('\n')
}
