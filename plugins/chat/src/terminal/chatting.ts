import type { CommandContext } from '@amodal/sdk'
import { ClientError } from '@amodal/sdk/client'
import { clientOf, agentClientOf } from './agent-of.ts'
import { local, remote, type Conversation } from './conversation.ts'
import { Screen } from './screen.ts'
import { SessionList } from './session-list.ts'
import { Talk, type Outcome } from './talk.ts'

const HELP = [
  'Type a message. /new begins another session, /sessions lists them, /resume N resumes one of them,',
  '/clear clears the conversation, /session shows the id, /help shows this, /exit leaves.',
].join('\n')

/**
 * Runs the conversation until the person ends it, or until the message of the command line is
 * answered.
 */
export async function chatting(context: CommandContext): Promise<number> {
  try {
    const code = await run(context, await open(context))
    return context.signal.aborted ? 130 : code
  } catch (cause) {
    if (context.signal.aborted) return 130
    if (!(cause instanceof ClientError)) throw cause
    context.fail(`${cause.code}: ${cause.message}`)
    return 1
  }
}

async function open(context: CommandContext): Promise<Conversation> {
  const client = clientOf(context)
  return client
    ? remote(client, context.signal)
    : local(await agentClientOf(context), context.signal)
}

async function run(context: CommandContext, conversation: Conversation): Promise<number> {
  const screen = new Screen(context.write)
  const lines = context.input[Symbol.asyncIterator]()
  const read = async (): Promise<string | undefined> => {
    const next = await lines.next()
    return next.done === true ? undefined : next.value
  }
  const talk = new Talk(conversation, screen, read)
  const message = context.arguments.join(' ').trim()

  let outcome: Outcome = 'done'
  const { resume } = context.options
  if (typeof resume === 'string') {
    const session = await new SessionList(conversation).find(resume)
    if (session === undefined) {
      context.fail('there is no session to resume')
      return 1
    }
    outcome = await talk.resume(session)
  }
  if (outcome !== 'waits')
    outcome =
      message === '' ? await converse(talk, conversation, screen, read) : await talk.say(message)
  screen.endLine()
  if (outcome === 'waits' && talk.session !== undefined)
    context.fail(`The agent waits for an answer. Go on with: amodal chat --resume ${talk.session}`)
  return outcome === 'done' ? 0 : 1
}

async function converse(
  talk: Talk,
  conversation: Conversation,
  screen: Screen,
  read: () => Promise<string | undefined>,
): Promise<Outcome> {
  const sessions = new SessionList(conversation)
  screen.line(HELP)
  for (;;) {
    screen.ask('\nyou › ')
    const line = (await read())?.trim()
    const [word, wanted = ''] = line?.split(/\s+/, 2) ?? []
    switch (line === word || word === '/resume' ? word : 'a message') {
      case undefined:
        screen.line('')
        return 'done'
      case '/exit':
      case '/quit':
        return 'done'
      case '':
        break
      case '/help':
        screen.line(HELP)
        break
      case '/session':
        screen.line(talk.session ?? 'none yet')
        break
      case '/clear':
        if (talk.session !== undefined) await conversation.clear(talk.session)
        screen.line('(forgotten)')
        break
      case '/new':
        talk.session = undefined
        screen.line('(a new session begins with the next message)')
        break
      case '/sessions':
        for (const one of await sessions.lines(talk.session)) screen.line(one)
        break
      case '/resume':
        if ((await goOn(talk, await sessions.find(wanted), screen)) === 'waits') return 'waits'
        break
      default:
        if ((await talk.say(line ?? '')) === 'waits') return 'waits'
    }
  }
}

/** Switches to another session; an unknown one changes nothing. */
async function goOn(talk: Talk, session: string | undefined, screen: Screen): Promise<Outcome> {
  if (session === undefined || session === '') {
    screen.line(
      'Which one? /sessions lists them, and /resume takes a number of that list, an id, or `latest`.',
    )
    return 'failed'
  }
  try {
    return await talk.resume(session)
  } catch (cause) {
    if (!(cause instanceof ClientError) || cause.code !== 'SESSION_NOT_FOUND') throw cause
    screen.line(`${cause.code}: ${cause.message}`)
    return 'failed'
  }
}
