import type { CommandContext, CommandTerminal } from '@amodal/sdk'
import { ClientError } from '@amodal/sdk/client'
import { chatInLines } from './lines/chat-in-lines.ts'
import { ChatSessions } from './session/chat-sessions.ts'
import { connect, impatient } from './session/connection.ts'

/** Retries of a stream before the person is told that the server is away. */
const TRIES = 10
const TRIES_IN_LINES = 3
/** ms that plain lines wait for a server that went away. */
const PATIENCE_MS = 60_000

const INTERRUPTED = 130

/**
 * Runs the conversation until the person ends it, or until the message of the command line is
 * answered.
 */
export async function chatting(context: CommandContext): Promise<number> {
  const { config } = context.options
  if (config !== undefined) {
    context.fail(
      `amodal chat --config ${String(config)}: this version cannot run snapshots. ` +
        'Give the folder of the agent with --dir, or a running server with --url.',
    )
    return 2
  }
  try {
    const code = await run(context)
    return context.signal.aborted ? INTERRUPTED : code
  } catch (cause) {
    if (context.signal.aborted) return INTERRUPTED
    if (!(cause instanceof ClientError)) throw cause
    context.fail(`${cause.code}: ${cause.message}`)
    return 1
  }
}

async function run(context: CommandContext): Promise<number> {
  const terminal = drawableTerminal(context)
  const connection = await connect(
    context,
    terminal ? TRIES : TRIES_IN_LINES,
    terminal !== undefined,
  )
  if (!connection) {
    context.fail(
      'amodal chat: the agent of this folder is not served, since its preset has no plugin "http". ' +
        'Add it to "plugins" in amodal.json, or talk to a running server with --url.',
    )
    return 1
  }
  const app = context.options['app-id']
  const reach = terminal ? connection.reach : impatient(connection.reach, PATIENCE_MS)
  const sessions = new ChatSessions(
    { ...connection, reach },
    typeof app === 'string' ? app : undefined,
    context.signal,
  )
  try {
    await sessions.check()
    if (!terminal) return await chatInLines(context, sessions)
    const { chatOnTerminal } = await import('./screen/chat-on-terminal.ts')
    return await chatOnTerminal(context, terminal, sessions)
  } finally {
    sessions.close()
  }
}

/** The terminal, if the conversation is drawn on it and not written in plain lines. */
function drawableTerminal({
  arguments: words,
  env,
  options,
  terminal,
}: CommandContext): CommandTerminal | undefined {
  const isPlain =
    words.length > 0 ||
    options['json'] === true ||
    options['screen-reader'] === true ||
    isSet(env['AMODAL_SCREEN_READER']) ||
    env['INK_SCREEN_READER'] === 'true' ||
    env['TERM'] === 'dumb'
  return isPlain ? undefined : terminal
}

const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== '' && value !== '0' && value !== 'false'
