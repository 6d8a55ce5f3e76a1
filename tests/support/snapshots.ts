import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '@amodal/sdk'
import { reply, type Script } from '@amodal/sdk/testing'
import { expect } from 'vitest'
import { write, type Door, type Heard } from '../security/support/door.ts'
import { runCommand } from './command.ts'

export interface BuiltSnapshot {
  readonly id: string
  readonly archive: Uint8Array<ArrayBuffer>
}

type Files = Readonly<Record<string, string | object>>

/** Builds a snapshot of a folder with other files, through the command. */
export async function snapshotOf(dir: string, changes: Files): Promise<BuiltSnapshot> {
  const draft = await mkdtemp(join(tmpdir(), 'amodal-snapshot-'))
  try {
    const folder = join(draft, 'agent')
    await cp(dir, folder, {
      recursive: true,
      filter: (source) => !source.endsWith('/.amodal'),
    })
    await write(folder, changes)
    const file = join(draft, 'agent.tgz')
    const built = await runCommand(['deploy', 'build', '--output', file, '--dir', folder])
    expect(built.err).toBe('')
    const [id = ''] = built.out.split('\n')
    return { id, archive: new Uint8Array(await readFile(file)) }
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** An agent whose prompt and tool both name their version. */
export const filesOf = (version: string): Files => ({
  'AGENTS.md': `You are PROMPT-${version}.\n`,
  'skills/look/SKILL.md': `---\nname: look\ndescription: SKILL-${version}.\n---\n\nLook.\n`,
  'tools/version/tool.json': {
    name: 'version',
    description: `Says the version: TOOL-${version}.`,
    parameters: { type: 'object', properties: {} },
    readOnly: true,
  },
  'tools/version/handler.ts': `export default async () => 'HANDLER-${version}'\n`,
})

/** Calls the tool, then says all versions that the request has. */
export const sayVersions: Script = (request) => {
  const last = request.messages.at(-1)
  if (last?.role !== 'tool') return reply.toolCalls({ name: 'version', arguments: {} })
  const [system] = request.messages
  const named = JSON.stringify([system, request.tools, last]).match(
    /(?:PROMPT|SKILL|TOOL|HANDLER)-\w+/g,
  )
  return reply.text([...new Set(named)].toSorted().join(' '))
}

export const versions = (version: string): string =>
  ['HANDLER', 'PROMPT', 'SKILL', 'TOOL'].map((part) => `${part}-${version}`).join(' ')

const local = ({ token }: Door): Record<string, string> => ({ authorization: `Bearer ${token}` })

export async function push(
  door: Door,
  archive: Uint8Array<ArrayBuffer>,
  headers = local(door),
): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const response = await fetch(`${door.url}/api/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: archive,
  })
  const body = (await response.json()) as JsonObject // what the route answers with
  return { status: response.status, body }
}

export const promote = (door: Door, id: string, more: JsonObject = {}): Promise<Heard> =>
  door.post('/api/deployments/promote', { id, ...more })

export const status = async (door: Door): Promise<JsonObject> =>
  (await door.get('/api/deployments/status', local(door))).body

/** The answer to a message: in a new session, or in this one. */
export async function say(
  door: Door,
  sessionId?: string,
): Promise<{ readonly session: string; readonly answer: string }> {
  const { body, text } = await door.say('Which version?', {
    ...(sessionId !== undefined && { session_id: sessionId }),
  })
  const { session_id: session, response } = body
  if (typeof session !== 'string' || typeof response !== 'string' || response === '')
    throw new Error(text)
  return { session, answer: response }
}
