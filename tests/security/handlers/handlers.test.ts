import { spawn, spawnSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer, type AddressInfo, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isObject, type JsonObject } from '@amodal/sdk'
import { reply } from '@amodal/sdk/testing'
import { expect, test } from 'vitest'
import { isWhole, newRandom } from '../../support/random.ts'
import { openDoor, textIn } from '../support/door.ts'
import { ATTACKS, LEVELS, type Attack, type Level } from './attacks.ts'

const random = newRandom()
const asRoot = process.getuid?.() === 0
const SECRET = 'planted-secret-5d1c77e0'
const VARIABLE = 'planted-variable-91aa2b3c'
const starts = (program: string, ...args: readonly string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0

/** What this machine offers. The bare process is always there. */
const OFFERED: Readonly<Record<Level, boolean>> = {
  process: true,
  container: process.platform === 'linux' && asRoot && starts('setpriv', '--version'),
  namespaces:
    process.platform === 'linux' &&
    starts(
      'unshare',
      ...(asRoot ? [] : ['--user', '--map-root-user']),
      '--mount',
      '--pid',
      '--net',
      '--fork',
      'true',
    ),
  bubblewrap:
    process.platform === 'linux' &&
    starts('bwrap', '--unshare-all', '--ro-bind', '/', '/', '/bin/true'),
}

const PRELUDE = `
import * as fs from 'node:fs'
import * as cp from 'node:child_process'
import * as net from 'node:net'
import * as os from 'node:os'
import * as dgram from 'node:dgram'
const quiet = (work) => { try { return work() } catch { return undefined } }
const tmp = os.tmpdir()
const raw = (bytes) => fs.writeSync(3, bytes)
void [fs, cp, net, os, dgram, quiet, tmp, raw]
`
/** One tool for all that may take equally long: a start looks at each tool. */
const toolOf = ({ timeout = 8_000 }: Attack): string => `attack_${timeout}`
const RUNNER =
  'export default async (w, ctx) => (await import(`./attack-${w.attack}.ts`)).default(w, ctx)'
const codeOf = ({ code }: Attack): string =>
  `${PRELUDE}export default async (w, ctx) => { ${code} }`

/** The agent with all attacks, and what stands around it. */
async function world(level: Level) {
  const outside = await mkdtemp(join(tmpdir(), 'amodal-outside-'))
  const drop = join(outside, 'drop')
  await mkdir(drop)
  await writeFile(join(outside, 'notes.txt'), SECRET)
  chmodSync(outside, 0o755)
  chmodSync(drop, 0o777)
  const files: Record<string, string | object> = {
    '.env': `HIDDEN=${SECRET}\n`,
    'tools/_shared/x.ts': '',
    'tools/doomed/tool.json': { description: 'x' },
    'tools/doomed/handler.ts': 'export default () => 1',
    'tools/doomed/data.txt': 'x',
    'tools/victim/tool.json': { description: 'x' },
    'tools/victim/handler.ts': "export default () => 'victim'",
    'tools/asks/tool.json': { description: 'x', confirm: true },
    'tools/asks/handler.ts': 'export default () => 1',
    'tools/hidden/tool.json': { description: 'x', confirm: 'never' },
    'tools/hidden/handler.ts': 'export default () => 1',
  }
  for (const attack of ATTACKS) {
    const folder = `tools/${toolOf(attack)}`
    files[`${folder}/tool.json`] = {
      description: 'x',
      timeout: attack.timeout ?? 8_000,
      parameters: { type: 'object' },
    }
    files[`${folder}/handler.ts`] = RUNNER
    files[`${folder}/attack-${ATTACKS.indexOf(attack)}.ts`] = codeOf(attack)
  }
  const door = await openDoor({
    files,
    script: reply.text('Hello.'),
    env: { PATH: process.env['PATH'] ?? '', PLANTED: VARIABLE },
    manifest: {
      plugins: [
        ['tools-custom', { sandbox: level, processes: 2, idleMs: 0, callsEach: 1 }],
        ['limits', { messages: { perMinute: 100_000, perHour: 1_000_000 } }],
      ],
    },
  })
  chmodSync(join(door.dir, '.env'), 0o600)
  chmodSync(door.dir, 0o755)

  const heard: string[] = []
  const listen = async (
    where: { readonly path: string } | { readonly port: number; readonly host: string },
  ): Promise<Server> => {
    const server = createServer((socket) => {
      socket
        .on('data', (chunk: Buffer) => heard.push(chunk.toString()))
        .on('error', () => undefined)
    })
    server.listen(where)
    await once(server, 'listening')
    return server
  }
  const socket = join(outside, 's')
  const abstract = `amodal-${process.pid}-${level}`
  const servers = [
    await listen({ port: 0, host: '127.0.0.1' }),
    await listen({ path: socket }),
    await listen({ path: `\0${abstract}` }),
  ]
  chmodSync(socket, 0o777)
  const udp = createSocket('udp4').on('message', (message) => heard.push(message.toString()))
  udp.bind(0, '127.0.0.1')
  await once(udp, 'listening')
  const free = await listen({ port: 0, host: '127.0.0.1' })
  const freePort = (free.address() as AddressInfo).port
  free.close()
  return {
    door,
    heard,
    outside,
    drop,
    reach: {
      dir: door.dir,
      tmp: tmpdir(),
      outside,
      outsideName: basename(outside),
      drop,
      server: process.pid,
      secret: SECRET.slice(0, 14), // the whole of it would be masked
      variable: VARIABLE,
      // A process's environment is what it was started with, so it cannot be planted.
      environment:
        readIfThere('/proc/self/environ')
          .split('\0')
          .find((one) => one.length > 8)
          ?.slice(0, 40) ?? '',
      http: Number(new URL(door.url).port),
      port: (servers[0]?.address() as AddressInfo).port,
      socket,
      abstract,
      udp: udp.address().port,
      free: freePort,
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) server.close()
      udp.close()
      await door[Symbol.asyncDispose]()
      await rm(outside, { recursive: true, force: true })
    },
  }
}

type World = Awaited<ReturnType<typeof world>>

const readIfThere = (file: string): string => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
const isAlive = (pid: number): boolean => /\) [^Z]/.test(readIfThere(`/proc/${pid}/stat`))
const marked = (marker: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readIfThere(`/proc/${name}/cmdline`).includes(marker))
    .map(Number)

async function holdsFor(ms: number, holds: () => boolean): Promise<boolean> {
  for (const until = performance.now() + ms; holds();) {
    if (performance.now() > until) return true
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
  }
  return false
}

/** Whether an attack comes through, at this level. */
async function comesThrough(attack: Attack, at: World): Promise<boolean> {
  const marker = `mark-${crypto.randomUUID()}`
  // Somebody else of the same user: what a handler can do to it, it can do to the server.
  const victim = spawn('/bin/sleep', [String(900_000 + ATTACKS.indexOf(attack))], {
    stdio: 'ignore',
    env: { PLANTED: VARIABLE },
  })
  await once(victim, 'spawn')
  const listened =
    attack.seen === 'listener' ? listens(at.reach.free, marker) : Promise.resolve(false)
  at.door.model.play(
    reply.toolsThenText(
      {
        name: toolOf(attack),
        arguments: {
          ...at.reach,
          attack: ATTACKS.indexOf(attack),
          marker,
          victim: victim.pid ?? 0,
          victimMark: String(900_000 + ATTACKS.indexOf(attack)),
        },
      },
      'Done.',
    ),
  )
  try {
    const events = await at.door.stream('Go')
    expect(events.filter(({ type }) => type === 'done')).toHaveLength(1)
    const result = events.find(({ type }) => type === 'tool_call_result')
    // What did not run shows nothing.
    expect([attack.name, textIn(result, 'result')]).not.toEqual([
      attack.name,
      expect.stringContaining('could not be run'),
    ])
    expect(result).toBeDefined()
    const said = textIn(result, 'result') === '{"result":true}'
    switch (attack.seen) {
      case undefined:
        return said
      case 'agent-file':
        return (
          existsSync(join(at.door.dir, 'tools/planted')) ||
          readIfThere(join(at.door.dir, '.env')).includes(marker) ||
          existsSync(join(at.door.dir, '.amodal', marker))
        )
      case 'marker-file':
        return [at.drop, at.reach.tmp, '/dev/shm'].some((dir) => existsSync(join(dir, marker)))
      case 'marker-process':
        return await holdsFor(2_000, () => marked(marker).length > 0)
      case 'connection':
        return !(await holdsFor(300, () => !at.heard.some((text) => text.includes(marker))))
      case 'listener':
        return await listened
      case 'victim-gone':
        return !(await holdsFor(300, () => isAlive(victim.pid ?? 0)))
      case 'server-harmed':
        return said || !(await isWell(at, events))
      default:
        return attack.seen satisfies never
    }
  } finally {
    victim.kill('SIGKILL')
    for (const pid of marked(marker)) process.kill(pid, 'SIGKILL')
    await Promise.all(
      [at.drop, at.reach.tmp, '/dev/shm'].map((dir) => rm(join(dir, marker), { force: true })),
    )
  }
}

async function listens(port: number, marker: string): Promise<boolean> {
  for (const until = performance.now() + 4_000; performance.now() < until;) {
    const socket = connect(port, '127.0.0.1')
    const text = await new Promise<string>((resolve) => {
      socket
        .once('data', (chunk: Buffer) => resolve(chunk.toString()))
        .once('error', () => resolve(''))
        .once('close', () => resolve(''))
    })
    socket.destroy()
    if (text.includes(marker)) return true
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
  }
  return false
}

/** The server answers, another tool works, and nothing of the attack stands in what was told. */
async function isWell({ door }: World, events: readonly JsonObject[]): Promise<boolean> {
  if (
    events.some((event) => event['forged'] !== undefined) ||
    Reflect.get({}, 'polluted') !== undefined
  )
    return false
  if (
    events.some(
      (event) =>
        isObject(event) &&
        typeof event['result'] === 'string' &&
        event['result'].length > 5_000_000,
    )
  )
    return false
  door.model.play(reply.toolsThenText({ name: 'victim', arguments: {} }, 'Done.'))
  const again = await door.stream('Go')
  return textIn(
    again.find(({ type }) => type === 'tool_call_result'),
    'result',
  ).includes('victim')
}

const expectedAt = (level: Level): readonly Attack[] =>
  ATTACKS.filter(({ open }) => open.includes(level))

test.each(LEVELS)(
  `handlers at level %s, AMODAL_SEED=${random.seed} (skipped where this machine does not offer it): what comes through is what the page says`,
  { timeout: 900_000 },
  async (level) => {
    if (!OFFERED[level])
      return void process.stdout.write(
        `level ${level}: this machine does not offer it, so nothing was tried\n`,
      )
    await using at = await world(level)
    expect(await isWell(at, [])).toBe(true)
    const through: string[] = []
    const came: Attack[] = []
    const tried = random.sample(ATTACKS, isWhole() ? Infinity : 10)
    for (const attack of tried)
      if (await comesThrough(attack, at)) {
        through.push(attack.name)
        came.push(attack)
      }
    const expected = expectedAt(level).filter((attack) => tried.includes(attack))
    expect(through.filter((name) => !expected.some((attack) => attack.name === name))).toEqual([])
    // Each that is said to come through a bare process does: otherwise it shows nothing that others
    // stop it.
    const shown = expected.filter(({ asRoot: needsRoot }) => needsRoot !== true || asRoot)
    if (level === 'process' && process.platform === 'linux')
      expect(shown.filter((attack) => !came.includes(attack)).map(({ name }) => name)).toEqual([])
    process.stdout.write(
      `level ${level}: ${tried.length - came.length} of ${tried.length} attacks are stopped; through: ${through.join(', ') || 'none'}\n`,
    )
  },
)

test('the figures of the page are those of the table', async () => {
  const page = await readFile(
    join(import.meta.dirname, '../../../plugins/tools-custom/README.md'),
    'utf8',
  )
  expect(ATTACKS.length).toBeGreaterThanOrEqual(50)
  expect(new Set(ATTACKS.map(({ name }) => name)).size).toBe(ATTACKS.length)
  const figures = LEVELS.map((level) => `${ATTACKS.length - expectedAt(level).length}`).join(' | ')
  expect(page).toContain(`| Attacks stopped, of ${ATTACKS.length} | ${figures} |`)
})
