import { stat } from 'node:fs/promises'
import { isId, messageOf, never, tryAsync, type Command, type CommandContext } from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import { linesOf, placesIn, readHeader, verifyFile } from './file-reader.ts'
import { pathOf, safeName } from './place.ts'
import { Entry, jsonOf, objectOf } from './record.ts'

const ACTIONS = ['list', 'show', 'verify'] as const
type Action = (typeof ACTIONS)[number]

/** Characters of an entry that are shown. */
const SHOWN = 200

interface Asked {
  readonly folder: string
  readonly tenant: string | undefined
  readonly session: string | undefined
  readonly principal: string | undefined
  readonly json: boolean
  readonly context: Pick<CommandContext, 'print' | 'fail' | 'signal'>
}

const HELP: Omit<Command, 'run'> = {
  summary: 'List, show or check archived sessions',
  usage:
    'amodal ops archive [list | show SESSION | verify [SESSION]] [--tenant T] [--principal NAME] [--json]',
  about: [
    '`verify` reads each file and compares it with the SHA-256 in its last line; it ends with 1 where one is damaged, cut off or changed.',
    'Who can write the folder can write that line, too: the audit log has the SHA-256 of each file, in its line `session.archived`.',
  ],
  examples: [
    ['amodal ops archive list --tenant acme', 'the files of one tenant'],
    ['amodal ops archive show sess_1f0c', 'what was said in a session'],
    ['amodal ops archive verify', 'check every file'],
  ],
  options: {
    tenant: { type: 'string', description: 'One tenant; all where it is left out' },
    principal: { type: 'string', description: 'list: sessions of one principal' },
    json: {
      type: 'boolean',
      description: 'One JSON object a line; of `show` the lines of the file',
    },
  },
}

/** `amodal ops archive [list | show | verify]`. Works on the files alone. */
export const archiveCommand = (folder: string): Command => ({
  ...HELP,
  async run(context) {
    const [given = 'list', session] = context.arguments
    const { tenant, principal, json } = context.options
    const action = ACTIONS.find((one) => one === given)
    const wrong = problemOf(given, session, tenant)
    if (!action || wrong !== undefined) {
      context.fail(`amodal ops archive: ${wrong ?? given}`)
      return 2
    }
    const asked = {
      folder,
      session,
      tenant: typeof tenant === 'string' ? tenant : undefined,
      principal: typeof principal === 'string' ? principal : undefined,
      json: json === true,
      context,
    }
    const done = await tryAsync(() => act(action, asked), messageOf)
    if (done.ok) return done.value
    context.fail(`UNREADABLE: ${folder}: ${done.error}`)
    return 1
  },
})

function problemOf(action: string, session: string | undefined, tenant: unknown) {
  if (!ACTIONS.some((one) => one === action))
    return `there is no "${action}"; it takes ${ACTIONS.join(', ')}`
  if (action === 'show' && session === undefined) return 'show: name a session'
  if (typeof tenant === 'string' && !isId(tenant)) return `--tenant: "${tenant}" is no name of one`
  return undefined
}

function act(action: Action, asked: Asked): Promise<number> {
  switch (action) {
    case 'list':
      return list(asked)
    case 'show':
      return show(asked)
    case 'verify':
      return verify(asked)
    default:
      return never(action)
  }
}

async function list({ principal, ...asked }: Asked): Promise<number> {
  const { folder, json, context } = asked
  let damaged = 0
  for (const place of await placesOf(asked)) {
    const path = pathOf(folder, place)
    const header = await readHeader(path)
    if (!header.ok) {
      context.fail(header.error.message)
      damaged++
      continue
    }
    if (principal !== undefined && header.value.principal !== principal) continue
    const { size } = await stat(path)
    const { tenant, session, kind, principal: owner, updated_at: at, title } = header.value
    context.print(
      json
        ? JSON.stringify({ place, bytes: size, ...header.value })
        : `${at}  ${tenant}  ${session}  ${kind}  ${owner}  ${size} bytes  ${title}`,
    )
  }
  return damaged > 0 ? 1 : 0
}

async function show(asked: Asked): Promise<number> {
  const { folder, json, context } = asked
  const places = await placesOf(asked)
  // A session that went on after it was archived has a file of each time: the last one has it all.
  const place = places.at(-1)
  if (place === undefined) {
    context.fail(`NOT_FOUND: no session ${asked.session} is archived in ${folder}`)
    return 1
  }
  for await (const line of linesOf(pathOf(folder, place)))
    context.print(json ? line : shownLine(line))
  return 0
}

async function verify(asked: Asked): Promise<number> {
  const { folder, json, context } = asked
  const places = await placesOf(asked)
  let wrong = 0
  for (const place of places) {
    if (context.signal.aborted) return 130
    const verified = await verifyFile(pathOf(folder, place), place)
    if (!verified.ok) wrong++
    const sha256 = verified.ok ? verified.value.sha256 : undefined
    const problem = verified.ok ? undefined : verified.error.message
    if (json) context.print(JSON.stringify({ place, ok: verified.ok, sha256, problem }))
    else if (problem === undefined) context.print(`ok       ${sha256}  ${place}`)
    else context.print(`DAMAGED  ${problem}`)
  }
  if (!json) context.print(`${places.length} files, ${wrong} of them damaged`)
  if (asked.session !== undefined && places.length === 0) return 1
  return wrong > 0 ? 1 : 0
}

/** By day. */
async function placesOf({
  folder,
  tenant,
  session,
}: Pick<Asked, 'folder' | 'tenant' | 'session'>): Promise<readonly string[]> {
  const places: string[] = []
  const name = session === undefined ? undefined : `/${safeName(session)}.`
  for await (const place of placesIn(folder, tenant))
    if (name === undefined || place.includes(name)) places.push(place)
  return places.sort()
}

function shownLine(line: string): string {
  const entry = Entry.safeParse(jsonOf(line)).data
  if (!entry) return line
  const { kind, ...body } = objectOf(entry.body)
  const text = JSON.stringify(body)
  return `${entry.seq}  ${typeof kind === 'string' ? kind : 'entry'}  ${ellipsis(text, SHOWN)}`
}
