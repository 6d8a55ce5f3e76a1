import type { CommandContext } from '@amodal/sdk'
import { ClientError } from '@amodal/sdk/client'
import type { ChatSessions } from '../session/chat-sessions.ts'
import { sessionLines } from '../session/session-lines.ts'
import { JsonOutput, messageIn } from './json-output.ts'
import { LineChat } from './line-chat.ts'
import type { LineOutput, Outcome, ReadLine } from './output.ts'
import { TextOutput } from './text-output.ts'

const HELP = [
  'Type a message. /new begins another session, /sessions lists them, /resume N resumes one of them,',
  '/clear clears the conversation, /session shows the id, /help shows this, /exit leaves.',
].join('\n')

/**
 * A conversation in lines: those of the input are messages, and the answers are written as plain
 * text or, with `--json`, as JSON.
 */
export async function chatInLines(
  context: CommandContext,
  sessions: ChatSessions,
): Promise<number> {
  const { arguments: words, fail, options, print, write } = context
  const lines = context.input[Symbol.asyncIterator]()
  const read: ReadLine = async () => {
    const next = await lines.next()
    return next.done === true ? undefined : next.value
  }
  const isJson = options['json'] === true
  const output = isJson
    ? new JsonOutput(print, read, () => sessions.current.session)
    : new TextOutput(write, read)
  const chat = new LineChat(sessions, output, context.signal)
  const message = words.join(' ').trim()

  let outcome: Outcome = 'done'
  const { resume } = options
  if (typeof resume === 'string') {
    const session = await sessions.find(resume)
    if (session === undefined) {
      fail('there is no session to resume')
      return 1
    }
    outcome = await chat.resume(session)
  }
  if (outcome !== 'waits') {
    if (message !== '') outcome = await chat.say(message)
    else if (isJson) outcome = await eachLine(chat, output, read)
    else outcome = await converse(chat, sessions, output, read)
  }
  output.end()
  if (outcome === 'waits' && chat.session !== undefined)
    fail(`The agent waits for an answer. Go on with: amodal chat --resume ${chat.session}`)
  return outcome === 'done' ? 0 : 1
}

/** Each line is a message. */
async function eachLine(chat: LineChat, output: LineOutput, read: ReadLine): Promise<Outcome> {
  let outcome: Outcome = 'done'
  for (let line = await read(); line !== undefined; line = await read()) {
    const message = messageIn(line).trim()
    if (message === '') continue
    outcome = await chat.say(message)
    if (outcome === 'waits') return outcome
  }
  output.end()
  return outcome
}

async function converse(
  chat: LineChat,
  sessions: ChatSessions,
  output: LineOutput,
  read: ReadLine,
): Promise<Outcome> {
  output.notice(HELP)
  for (;;) {
    output.prompt()
    const line = (await read())?.trim()
    if (line === undefined) {
      output.notice('')
      return 'done'
    }
    if (line === '/exit' || line === '/quit') return 'done'
    if (line === '') continue
    const outcome = isCommand(line)
      ? await command(line, chat, sessions, output)
      : await chat.say(line)
    if (outcome === 'waits') return 'waits'
  }
}

const COMMANDS: readonly string[] = ['/help', '/session', '/clear', '/new', '/sessions', '/resume']

function isCommand(line: string): boolean {
  const [word = ''] = line.split(/\s+/, 1)
  return COMMANDS.includes(word) && (line === word || word === '/resume')
}

async function command(
  line: string,
  chat: LineChat,
  sessions: ChatSessions,
  output: LineOutput,
): Promise<Outcome> {
  const [word = '', wanted = ''] = line.split(/\s+/, 2)
  switch (word) {
    case '/session':
      output.notice(chat.session ?? 'none yet')
      break
    case '/clear':
      await sessions.clear()
      output.notice('(forgotten)')
      break
    case '/new':
      chat.begin()
      output.notice('(a new session begins with the next message)')
      break
    case '/sessions':
      for (const one of sessionLines(await sessions.recent(), chat.session)) output.notice(one)
      break
    case '/resume':
      return resume(chat, await sessions.find(wanted), output)
    default:
      output.notice(HELP)
  }
  return 'done'
}

/** Switches to another session; an unknown one changes nothing. */
async function resume(
  chat: LineChat,
  session: string | undefined,
  output: LineOutput,
): Promise<Outcome> {
  if (session === undefined || session === '') {
    output.notice(
      'Which one? /sessions lists them, and /resume takes a number of that list, an id, or `latest`.',
    )
    return 'failed'
  }
  try {
    return await chat.resume(session)
  } catch (cause) {
    if (!(cause instanceof ClientError) || cause.code !== 'SESSION_NOT_FOUND') throw cause
    output.notice(`${cause.code}: ${cause.message}`)
    return 'failed'
  }
}
