import { Agent, LOCAL_TENANT, principalId, type CommandContext } from '@amodal/sdk'
import { ClientError, createClient } from '@amodal/sdk/client'
import { local, remote, type Conversation } from './conversation.ts'
import { Screen } from './screen.ts'
import { Talk, type Outcome } from './talk.ts'

const HELP = 'Type a message. /clear forgets what was said, /session shows the id, /exit leaves.'

/** Talks until the person has had enough, or until the one message of the command line is answered. */
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

async function open({ env, options, start, signal }: CommandContext): Promise<Conversation> {
  const { scope, url } = options
  if (typeof url === 'string') {
    const credential = env['AMODAL_CREDENTIAL']
    return remote(createClient({ url, tries: 3, ...(credential && { credential }), ...(typeof scope === 'string' && { scope }) }), signal)
  }
  const kernel = await start({ without: ['http'] })
  return local(kernel.scope.get(Agent).as({ tenant: LOCAL_TENANT, principal: principalId('local') }), signal)
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
    const session = resume === 'latest' ? await conversation.latest() : resume
    if (session === undefined) {
      context.fail('there is no session to go on with')
      return 1
    }
    outcome = await talk.resume(session)
  }
  if (outcome !== 'waits') outcome = message === '' ? await converse(talk, conversation, screen, read) : await talk.say(message)
  screen.endLine()
  if (outcome === 'waits' && talk.session !== undefined) context.fail(`The agent waits for an answer. Go on with: amodal chat --resume ${talk.session}`)
  return outcome === 'done' ? 0 : 1
}

async function converse(talk: Talk, conversation: Conversation, screen: Screen, read: () => Promise<string | undefined>): Promise<Outcome> {
  screen.line(HELP)
  for (;;) {
    screen.ask('\nyou › ')
    const line = (await read())?.trim()
    switch (line) {
      case undefined:
        screen.line('')
        return 'done'
      case '/exit': case '/quit': return 'done'
      case '': break
      case '/help': screen.line(HELP); break
      case '/session': screen.line(talk.session ?? 'none yet'); break
      case '/clear':
        if (talk.session !== undefined) await conversation.clear(talk.session)
        screen.line('(forgotten)')
        break
      default:
        if (await talk.say(line) === 'waits') return 'waits'
    }
  }
}
