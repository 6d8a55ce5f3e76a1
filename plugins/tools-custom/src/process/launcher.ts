import { execFile } from 'node:child_process'
import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { err, failure, ok, trySync, type Failure, type Result } from '@amodal/sdk'
import { bubblewrap } from './bubblewrap.ts'
import type { Sandbox } from './levels.ts'
import { DATA_LIMIT, HANDLER_LIMITS, limitCommands, type ProgramLimits } from './limits.ts'
import { NAMESPACE_PROGRAMS, namespaces } from './namespaces.ts'
import type { Place } from './place.ts'
import { Users } from './users.ts'

export interface LauncherOptions {
  /** The first that works here is taken. */
  readonly sandboxes: readonly Sandbox[]
  /** Left to programs that are kept apart. */
  readonly network: boolean
  /** Where the server is root: the first of 512 numbers of users that handlers may be. */
  readonly users: number
  /** MB that a program may take for its data, beside what Node takes for doing nothing. */
  readonly memoryMb: number
  /** Where programs are looked for, as in `PATH`. */
  readonly path: () => string
  /** Called once with the sandbox that was found. */
  readonly found: (sandbox: Sandbox) => void
  /** Whether a sandbox that starts is good enough; without it, it is. */
  readonly accept?: (machine: Machine) => Promise<Result<void, Failure>>
}

export interface Command {
  readonly file: string
  readonly args: readonly string[]
  /**
   * Called once the program has ended: releases its user id, and kills what it left behind.
   */
  readonly after?: () => void
}

/** What applies to one program. */
export interface ProgramOptions {
  readonly limits?: ProgramLimits
  /** Where the server is root, programs of one account that run together are the same user. */
  readonly account?: string
}

/** What was found out about this machine. */
export interface Machine {
  readonly sandbox: Sandbox
  /**
   * KB of data that Node counts before it runs anything: mostly room that V8 reserves. Not known
   * everywhere.
   */
  readonly nodeKb: number | undefined
}

const PROBE_MS = 10_000
/** Of TypeScript and modules, which a probe does not load. */
const LOADING_KB = 64 * 1_024
const LIMITED = 'kb=$1; shift; '
const STATUS =
  "process.stdout.write(require('fs').existsSync('/proc/self/status') ? require('fs').readFileSync('/proc/self/status', 'utf8') : 'fine')"

/** Puts together how a program is started so that it can do as little as possible on its own. */
export class Launcher {
  readonly options: LauncherOptions
  #python: Promise<Result<string, Failure>> | undefined
  #machine: Promise<Result<Machine, Failure>> | undefined
  readonly #users: Users
  readonly #sweeps = new Set<Promise<void>>()

  constructor(options: LauncherOptions) {
    this.options = options
    this.#users = new Users(options.users)
  }

  /** The sandbox that works here; determined once, by starting a program in it. */
  async sandbox(): Promise<Result<Sandbox, Failure>> {
    const machine = await this.#known()
    return machine.ok ? ok(machine.value.sandbox) : machine
  }

  machine(): Promise<Result<Machine, Failure>> {
    return this.#known()
  }

  async command(
    argv: readonly string[],
    place: Place,
    options?: ProgramOptions,
  ): Promise<Result<Command, Failure>> {
    const machine = await this.#known()
    return machine.ok ? ok(this.commandIn(machine.value, argv, place, options)) : machine
  }

  /** Resolves when nothing is left of those that have ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#sweeps)
  }

  /**
   * The real interpreter: what stands in `PATH` may be a script that needs more than handlers have.
   */
  python(): Promise<Result<string, Failure>> {
    this.#python ??= this.#findPython()
    return this.#python
  }

  /** A program by its name, as a shell would find it. */
  find(name: string): string | undefined {
    const places = this.options
      .path()
      .split(delimiter)
      .filter(isAbsolute)
      .map((folder) => join(folder, name))
    return places.find(
      (file) =>
        trySync(
          () => accessSync(file, constants.X_OK),
          () => undefined,
        ).ok,
    )
  }

  /** The same in a sandbox that is only looked at. */
  commandIn(
    { sandbox, nodeKb }: Machine,
    argv: readonly string[],
    place: Place,
    { limits = HANDLER_LIMITS, account }: ProgramOptions = {},
  ): Command {
    const kb =
      nodeKb === undefined ? 'none' : String(nodeKb + LOADING_KB + this.options.memoryMb * 1_024)
    const { network } = this.options
    switch (sandbox) {
      case 'bubblewrap':
        return this.#asUser(
          (user) => [
            this.#path('bwrap'),
            ...bubblewrap(place, network, user !== undefined),
            ...(user === undefined
              ? []
              : [...owned(place, user), this.#path('setpriv'), ...otherUser(user)]),
            ...limited(limitCommands(limits), kb, argv),
          ],
          account,
        )
      case 'namespaces':
        return this.#asUser(
          (user) =>
            namespaces(
              place,
              { network, user, kb, limits, find: (name) => this.#path(name) },
              argv,
            ),
          account,
        )
      case 'container':
        return this.#asUser((user) => this.#bound(user, limited(limitCommands(limits), kb, argv)))
      case 'process':
        return commandOf(this.#bound(undefined, limited(DATA_LIMIT, kb, argv)))
      default:
        return sandbox satisfies never
    }
  }

  /**
   * It dies with us, also where we are killed, and can gain no rights by starting a program that
   * has them.
   */
  #bound(user: number | undefined, argv: readonly string[]): readonly string[] {
    const setpriv = process.platform === 'linux' ? this.find('setpriv') : undefined
    if (setpriv === undefined) return argv
    return [
      setpriv,
      ...(user === undefined ? [] : otherUser(user)),
      '--pdeathsig',
      'KILL',
      '--no-new-privs',
      ...argv,
    ]
  }

  /**
   * As root: for a user that is nobody else. What that user still runs afterwards was left behind,
   * in whatever group it is.
   */
  #asUser(argv: (user: number | undefined) => readonly string[], account?: string): Command {
    if (process.getuid?.() !== 0) return commandOf(argv(undefined))
    const user = this.#users.acquire(account)
    const { file, args } = commandOf(argv(user))
    const sweep = commandOf(this.#bound(user, ['/bin/sh', '-c', 'kill -9 -1']))
    const after = (): void => {
      if (!this.#users.isLast(account)) return
      const swept = output(sweep, '').then(() => {
        this.#users.release(user)
        this.#sweeps.delete(swept)
      })
      this.#sweeps.add(swept)
    }
    return { file, args, after }
  }

  /** A program that was found when the sandbox was tried. */
  readonly #path = (name: string): string => this.find(name) ?? name

  #known(): Promise<Result<Machine, Failure>> {
    this.#machine ??= this.#choose().then((machine) => {
      if (machine.ok) this.options.found(machine.value.sandbox)
      return machine
    })
    return this.#machine
  }

  async #choose(): Promise<Result<Machine, Failure>> {
    const reasons: string[] = []
    for (const sandbox of this.options.sandboxes) {
      const machine = await this.#probe(sandbox)
      const good = machine.ok
        ? ((await this.options.accept?.(machine.value)) ?? ok(undefined))
        : machine
      if (machine.ok && good.ok) return machine
      if (!good.ok) reasons.push(good.error.message)
    }
    return err(failure(this.options.accept ? 'NOT_ISOLATED' : 'BAD_CONFIG', reasons.join('; ')))
  }

  async #probe(sandbox: Sandbox): Promise<Result<Machine, Failure>> {
    const needed = {
      process: [],
      container: ['setpriv'],
      namespaces: NAMESPACE_PROGRAMS,
      bubblewrap: process.getuid?.() === 0 ? ['bwrap', 'setpriv'] : ['bwrap'],
    }[sandbox]
    const missing = needed.filter((name) => this.find(name) === undefined)
    const refused = (why: string): Result<never, Failure> =>
      err(failure('BAD_CONFIG', `handlers are to run in ${sandbox}, and ${why}`))
    if (missing.length > 0)
      return refused(
        `${missing.map((name) => `\`${name}\``).join(', ')} ${missing.length === 1 ? 'is' : 'are'} not installed`,
      )
    const status = await this.#nodeIn(sandbox)
    if (status === undefined && sandbox !== 'process')
      return refused(
        `nothing starts in it here: this user or this kernel may not (${needed.map((name) => `\`${name}\``).join(', ')})`,
      )
    return ok({ sandbox, nodeKb: dataKb(status ?? '') })
  }

  /** What Node says of itself in that sandbox; `undefined` where it does not run there. */
  async #nodeIn(sandbox: Sandbox): Promise<string | undefined> {
    const node = realpathSync(process.execPath)
    const command = this.commandIn({ sandbox, nodeKb: undefined }, [node, '-e', STATUS], {
      cwd: '/',
      readable: [node],
    })
    const said = await output(command, '')
    command.after?.()
    return said
  }

  async #findPython(): Promise<Result<string, Failure>> {
    const missing = err(
      failure('NOT_FOUND', 'it is written in Python, and there is no python3 on this machine'),
    )
    const found = this.find('python3')
    if (found === undefined) return missing
    const said = await output(
      { file: found, args: ['-I', '-c', 'import sys; print(sys.executable)'] },
      this.options.path(),
    )
    return said === undefined
      ? missing
      : trySync(
          () => realpathSync(said.trim()),
          () => missing.error,
        )
  }
}

const otherUser = (user: number): readonly string[] => [
  '--reuid',
  String(user),
  '--regid',
  String(user),
  '--clear-groups',
  '--bounding-set=-all',
  '--inh-caps=-all',
]

/** Gives the writable folders to the user, and goes on with what follows. */
const owned = ({ writable = [] }: Place, user: number): readonly string[] =>
  writable.length === 0
    ? []
    : [
        '/bin/sh',
        '-c',
        'user=$1; shift; while [ "$1" != -- ]; do chown -Rh "$user:$user" "$1" || exit 126; shift; done; shift; exec "$@"',
        'sh',
        String(user),
        ...writable.map(({ at }) => at),
        '--',
      ]

function commandOf([file = '', ...args]: readonly string[]): Command {
  return { file, args }
}

const limited = (limits: string, kb: string, argv: readonly string[]): readonly string[] => [
  '/bin/sh',
  '-c',
  `${LIMITED}${limits} exec "$@"`,
  'sh',
  kb,
  ...argv,
]

/** Folders that an interpreter needs to read. */
export const homeOf = (interpreter: string): string => {
  const real = realpathSync(interpreter)
  const folder = dirname(real)
  return folder.endsWith('/bin') ? dirname(folder) : real
}

function dataKb(status: string): number | undefined {
  const found = /^VmData:\s+(\d+) kB$/m.exec(status)?.[1]
  return found === undefined ? undefined : Number(found)
}

function output({ file, args }: Command, path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      file,
      args,
      {
        env: path === '' ? {} : { PATH: path },
        timeout: PROBE_MS,
        killSignal: 'SIGKILL',
        cwd: '/',
      },
      (error, text) => resolve(error ? undefined : text),
    )
  })
}
