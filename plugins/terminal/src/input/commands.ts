/** Commands that a person types in place of a message. */
export const COMMANDS = {
  '/help': 'shows what can be typed',
  '/new': 'begins another session',
  '/sessions': 'lists the sessions, to resume one',
  '/resume': 'resumes a session: a number of the list, an id, or latest',
  '/session': 'shows the id of this session',
  '/clear': 'clears the conversation',
  '/stop': 'stops the answer, as Esc does',
  '/retry': 'continues a session that was set aside',
  '/end': 'ends the run of a session that was set aside',
  '/settle': 'settles a call of unknown outcome: CALL happened|not_happened|retry',
  '/exit': 'leaves',
} as const

export type CommandName = keyof typeof COMMANDS

/** A command and what stands behind it. */
export interface TypedCommand {
  readonly name: CommandName
  readonly words: readonly string[]
}

const isName = (word: string): word is CommandName => Object.hasOwn(COMMANDS, word)

/** The command of a line; `undefined`: it is a message. */
export function commandIn(line: string): TypedCommand | undefined {
  const [first = '', ...words] = line.trim().split(/\s+/)
  const name = first === '/quit' ? '/exit' : first
  return isName(name) ? { name, words } : undefined
}

/** The commands that a line may become. */
export const commandsLike = (line: string): readonly CommandName[] =>
  line.startsWith('/') && !/\s/.test(line)
    ? Object.keys(COMMANDS)
        .filter(isName)
        .filter((name) => name.startsWith(line))
    : []
