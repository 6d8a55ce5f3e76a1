import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  messageOf,
  tryAsync,
  type Command,
  type CommandContext,
  type CommandOption,
  type Failure,
  type Generation,
  type Result,
} from '@amodal/sdk'
import { askRoutes, errorLine, type AskRoutes } from '@amodal/plugin-http/tokens'
import { errorText, SnapshotUnreadable } from '../errors.ts'
import { PREFIX } from '../server/routes.ts'
import { Deployments } from '../tokens.ts'
import { buildFor } from './build.ts'
import { deploymentLines, pointerLines, pushedLines, statusLines } from './lines.ts'

const OPTIONS: Readonly<Record<string, CommandOption>> = {
  url: { type: 'string', description: 'A running server, such as http://127.0.0.1:3847' },
  json: { type: 'boolean', description: 'Print JSON' },
}
const ABOUT =
  'With --url it asks a running server, with the credential of AMODAL_CREDENTIAL, which needs the scope `admin`; without it the agent folder, whose embedded database no server may have in use.'

type Send = (ask: AskRoutes) => Promise<Response>

/** The commands that ask a server, by their second word. */
export const serverCommands = (
  generation: () => Generation,
): Readonly<Record<string, Command>> => ({
  push: pushCommand(generation),
  list: {
    summary: 'List the snapshots of a server',
    usage: 'amodal deploy list [--url URL] [--json]',
    about: [ABOUT],
    options: OPTIONS,
    run: (context) => answered(context, (ask) => ask('GET', PREFIX), deploymentLines),
  },
  status: {
    summary: 'Show which snapshot a server uses, and who deployed what',
    usage: 'amodal deploy status [--url URL] [--json]',
    about: [ABOUT],
    options: OPTIONS,
    run: (context) => answered(context, (ask) => ask('GET', `${PREFIX}/status`), statusLines),
  },
  promote: promoteCommand,
  rollback: {
    summary: 'Give new sessions what was in use before',
    usage: 'amodal deploy rollback [ID] [--url URL] [--json]',
    about: [
      'Sessions that have begun go on with the snapshot that they began with. A canary is ended first.',
      ABOUT,
    ],
    options: OPTIONS,
    run: (context) => {
      const [id] = context.arguments
      const body = id === undefined ? {} : { id }
      return answered(context, (ask) => ask('POST', `${PREFIX}/rollback`, body), pointerLines)
    },
  },
})

const promoteCommand: Command = {
  summary: 'Give new sessions a snapshot',
  usage: 'amodal deploy promote ID [--percent N] [--url URL] [--json]',
  about: [
    'ID is that of `amodal deploy list`, or its beginning. Sessions that have begun go on with the snapshot that they began with.',
    ABOUT,
  ],
  examples: [
    ['amodal deploy promote 3f9a1c --url https://agent.example.com', 'for all new sessions'],
    ['amodal deploy promote 3f9a1c --percent 10', 'for a tenth of them'],
  ],
  options: {
    ...OPTIONS,
    percent: { type: 'string', description: 'Share of new sessions that get it' },
  },
  async run(context) {
    const [id] = context.arguments
    const { percent } = context.options
    if (id === undefined) {
      context.fail('say which one: amodal deploy promote ID')
      return 2
    }
    const body = { id, ...(typeof percent === 'string' && { percent: Number(percent) }) }
    return answered(context, (ask) => ask('POST', `${PREFIX}/promote`, body), pointerLines)
  },
}

const pushCommand = (generation: () => Generation): Command => ({
  summary: 'Send a snapshot to a server',
  usage: 'amodal deploy push [FILE] [--promote] [--url URL] [--json]',
  about: [
    'Left out, FILE is a snapshot of the agent folder as it is. Nothing uses it before it is promoted.',
    ABOUT,
  ],
  examples: [
    ['amodal deploy push agent.tgz --url https://agent.example.com', 'send it'],
    ['amodal deploy push --promote --url https://agent.example.com', 'build, send and promote'],
  ],
  options: {
    ...OPTIONS,
    promote: { type: 'boolean', description: 'Also give it to new sessions' },
  },
  async run(context) {
    const archive = await archiveFor(context, generation())
    if (!archive.ok) {
      context.fail(errorText(archive.error))
      return 1
    }
    const send: Send = async (ask) => {
      const pushed = await ask('POST', PREFIX, archive.value)
      if (!pushed.ok || context.options['promote'] !== true) return pushed
      const { id } = (await pushed.json()) as { readonly id: string } // a route of our own
      return ask('POST', `${PREFIX}/promote`, { id })
    }
    return answered(context, send, pushedLines)
  },
})

async function archiveFor(
  context: CommandContext,
  generation: Generation,
): Promise<Result<Uint8Array, Failure>> {
  const [file] = context.arguments
  if (file !== undefined)
    return tryAsync(
      async () => new Uint8Array(await readFile(resolve(file))),
      (cause) => SnapshotUnreadable(`${file} cannot be read: ${messageOf(cause)}`),
    )
  const built = await buildFor(generation, context)
  return built.ok ? { ok: true, value: built.value.archive } : built
}

async function answered(
  context: CommandContext,
  send: Send,
  linesOf: (answer: unknown) => readonly string[],
): Promise<number> {
  const ask = await askRoutes(context, (kernel) => kernel.scope.get(Deployments).routes)
  const response = await send(ask)
  const text = await response.text()
  if (!response.ok) {
    context.fail(errorLine(text))
    return 1
  }
  if (context.options['json'] === true) context.print(text)
  else for (const line of linesOf(JSON.parse(text))) context.print(line)
  return 0
}
