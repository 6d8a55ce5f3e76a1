import { execFile } from 'node:child_process'
import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { err, failure, ok, trySync, type Failure, type Result } from '@amodal/sdk'
import { bubblewrap } from './bubblewrap.ts'

export type Sandbox = 'process' | 'bubblewrap'

export interface LauncherOptions {
  readonly sandbox: 'auto' | Sandbox
  /** Left to programs under bubblewrap. */
  readonly network: boolean
  /** MB that a program may take for its data, beside what Node takes for doing nothing. */
  readonly memoryMb: number
  /** Where programs are looked for, as in `PATH`. */
  readonly path: () => string
  /** Is told once what handlers are wrapped in here. */
  readonly found: (sandbox: Sandbox) => void
}

/** Where a program runs, and what it can read where bubblewrap shows it no more than that. */
export interface Place { readonly cwd: string; readonly readable: readonly string[] }

export interface Command { readonly file: string; readonly args: readonly string[] }

/** What was found out about this machine. */
interface Machine {
  readonly sandbox: Sandbox
  /** KB of data that Node counts before it runs anything: mostly room that V8 reserves. Not known everywhere. */
  readonly nodeKb: number | undefined
}

const PROBE_MS = 10_000
/** Of TypeScript and modules, which a probe does not load. */
const LOADING_KB = 64 * 1_024
/** Lowers limits that can only be lowered, and leaves nothing of the shell in the environment. */
const LIMITED = 'kb=$1; shift; ulimit -c 0; most=$(ulimit -H -d); if [ "$kb" != none ] && { [ "$most" = unlimited ] || [ "$most" -gt "$kb" ]; }; then ulimit -d "$kb"; fi; unset PWD OLDPWD SHLVL kb most; exec "$@"'
const STATUS = "process.stdout.write(require('fs').existsSync('/proc/self/status') ? require('fs').readFileSync('/proc/self/status', 'utf8') : 'fine')"

/** Puts together how a program is started so that it can do as little as possible on its own. */
export class Launcher {
  readonly options: LauncherOptions
  #python: Promise<Result<string, Failure>> | undefined
  #machine: Promise<Result<Machine, Failure>> | undefined

  constructor(options: LauncherOptions) {
    this.options = options
  }

  /** What handlers are wrapped in here; found out once, by starting something in it. */
  async sandbox(): Promise<Result<Sandbox, Failure>> {
    const machine = await this.#known()
    return machine.ok ? ok(machine.value.sandbox) : machine
  }

  async command(argv: readonly string[], place: Place): Promise<Result<Command, Failure>> {
    const machine = await this.#known()
    return machine.ok ? ok(this.#wrapped(argv, place, machine.value)) : machine
  }

  /** The real interpreter: what stands in `PATH` may be a script that needs more than handlers have. */
  python(): Promise<Result<string, Failure>> {
    this.#python ??= this.#findPython()
    return this.#python
  }

  /** A program by its name, as a shell would find it. */
  find(name: string): string | undefined {
    const places = this.options.path().split(delimiter).filter(isAbsolute).map((folder) => join(folder, name))
    return places.find((file) => trySync(() => accessSync(file, constants.X_OK), () => undefined).ok)
  }

  #wrapped(argv: readonly string[], place: Place, { sandbox, nodeKb }: Machine): Command {
    const most = nodeKb === undefined ? 'none' : String(nodeKb + LOADING_KB + this.options.memoryMb * 1_024)
    const limited = ['/bin/sh', '-c', LIMITED, 'sh', most, ...argv]
    const bwrap = sandbox === 'bubblewrap' ? this.find('bwrap') : undefined
    const setpriv = process.platform === 'linux' ? this.find('setpriv') : undefined
    // It dies with us, also where we are killed, and can gain no rights by starting a program that has them.
    const bound = bwrap !== undefined ? [bwrap, ...bubblewrap(place, this.options.network), ...limited]
      : setpriv !== undefined ? [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', ...limited] : limited
    const [file = '', ...args] = bound
    return { file, args }
  }

  #known(): Promise<Result<Machine, Failure>> {
    this.#machine ??= this.#probe().then((machine) => {
      if (machine.ok) this.options.found(machine.value.sandbox)
      return machine
    })
    return this.#machine
  }

  async #probe(): Promise<Result<Machine, Failure>> {
    const wanted = this.options.sandbox
    if (wanted !== 'process' && this.find('bwrap') !== undefined) {
      const status = await this.#nodeIn('bubblewrap')
      if (status !== undefined) return ok({ sandbox: 'bubblewrap', nodeKb: dataKb(status) })
    }
    if (wanted === 'bubblewrap') return err(failure('BAD_CONFIG', 'handlers are to run in bubblewrap, and `bwrap` is not installed or may not be used here'))
    return ok({ sandbox: 'process', nodeKb: dataKb(await this.#nodeIn('process') ?? '') })
  }

  /** What Node says of itself in that sandbox; `undefined` where it does not run there. */
  #nodeIn(sandbox: Sandbox): Promise<string | undefined> {
    const node = realpathSync(process.execPath)
    return output(this.#wrapped([node, '-e', STATUS], { cwd: '/', readable: [node] }, { sandbox, nodeKb: undefined }), '')
  }

  async #findPython(): Promise<Result<string, Failure>> {
    const missing = err(failure('NOT_FOUND', 'it is written in Python, and there is no python3 on this machine'))
    const found = this.find('python3')
    if (found === undefined) return missing
    const said = await output({ file: found, args: ['-I', '-c', 'import sys; print(sys.executable)'] }, this.options.path())
    return said === undefined ? missing : trySync(() => realpathSync(said.trim()), () => missing.error)
  }
}

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
    execFile(file, args, { env: path === '' ? {} : { PATH: path }, timeout: PROBE_MS, killSignal: 'SIGKILL', cwd: '/' }, (error, text) => resolve(error ? undefined : text))
  })
}
