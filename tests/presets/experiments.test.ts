import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { explainStart, startFolder } from '@amodal/presets'
import { HttpApp } from '@amodal/plugin-http/tokens'
import {
  Agent,
  isList,
  isObject,
  principalId,
  sessionId,
  tenantId,
  type JsonObject,
} from '@amodal/sdk'
import { reply, startModelServer, type Script } from '@amodal/sdk/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openDoor, textIn, type Door, type DoorOptions } from '../security/support/door.ts'
import { as, keyFor, keysOf } from '../security/support/people.ts'
import { agentFolder } from '../support/agent-folder.ts'
import { runCommand } from '../support/command.ts'
import { startPostgres } from '../support/postgres.ts'

const WAIT = { timeout: 30_000, interval: 25 }
const NAMES = ['anna', 'bert', 'cleo', 'dora', 'emil', 'fred', 'gina', 'hugo', 'iris', 'jack']
const PEOPLE = Object.fromEntries(NAMES.map((name) => [name, {}]))

const EXPERIMENT = {
  description: 'Does a brief answer do?',
  share: 1,
  variants: { brief: { prompt: 'tone/brief.md' } },
}
const FILES = {
  'agents/main/AGENT.md': '# Desk\n\nAnswer at length.\n',
  'experiments/tone.json': EXPERIMENT,
  'experiments/tone/brief.md': '# Desk\n\nAnswer in one sentence.\n',
}

type Variant = 'base' | 'brief'
/** Answers with the instructions that it was given. */
const echo: Script = ({ messages, system }) => {
  const text = system ?? JSON.stringify(messages)
  return reply.text(text.includes('in one sentence') ? 'brief' : 'base')
}

async function opened(options: Partial<DoorOptions> = {}): Promise<Door> {
  const door = await openDoor({
    script: echo,
    env: keysOf(PEOPLE),
    files: FILES,
    ...options,
  })
  onTestFinished(() => door[Symbol.asyncDispose]())
  return door
}

interface Talk {
  readonly variant: Variant
  readonly session: string
}
async function say(door: Door, name: string, session?: string): Promise<Talk> {
  const more = session === undefined ? {} : { session_id: session }
  const { body, status, text } = await door.say('Hello', more, as(name))
  expect({ status, text }).toMatchObject({ status: 200 })
  const answer = textIn(body, 'response')
  if (answer !== 'base' && answer !== 'brief') throw new Error(text)
  return { variant: answer, session: textIn(body, 'session_id') }
}

async function everybody(door: Door): Promise<ReadonlyMap<string, Talk>> {
  const talks = new Map<string, Talk>()
  for (const name of NAMES) talks.set(name, await say(door, name))
  return talks
}
const variantsOf = (talks: ReadonlyMap<string, Talk>): Readonly<Record<string, Variant>> =>
  Object.fromEntries([...talks].map(([name, { variant }]) => [name, variant]))

const anna = as('anna')
const figuresIn = (body: JsonObject): readonly JsonObject[] => {
  const { figures } = body
  return isList(figures) ? figures.filter((one) => isObject(one)) : []
}

describe('a share of the principals', () => {
  test('gets a variant, and keeps it in new sessions and after a restart', async () => {
    const door = await opened()
    const first = variantsOf(await everybody(door))
    expect(new Set(Object.values(first))).toEqual(new Set(['base', 'brief']))
    expect(variantsOf(await everybody(door))).toEqual(first)
    await door.restart()
    expect(variantsOf(await everybody(door))).toEqual(first)
  })
})
