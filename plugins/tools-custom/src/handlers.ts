import { existsSync } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  err,
  failure,
  ok,
  type BundleFile,
  type Failure,
  type JsonObject,
  type Result,
} from '@amodal/sdk'
import { isSharedCode } from './candidates.ts'
import type { HandlerTool } from './custom-tool.ts'
import { digestOf, type Sources } from './digest.ts'
import { LoadedCode } from './loaded-code.ts'
import { HandlerProcess, type LoadFailure, type ProcessLimits } from './process/handler-process.ts'
import { homeOf, type Launcher, type Machine } from './process/launcher.ts'
import type { Place } from './process/place.ts'

/** The parts of a handler that its process is made from. */
export type Code = Pick<HandlerTool, 'entry' | 'folder' | 'form' | 'language' | 'shared'>

/** An interpreter with what it has to read besides the handler's own code. */
interface Interpreter {
  readonly argv: readonly string[]
  readonly readable: readonly string[]
}

/** The programs that run in processes of their own, which see this folder and nothing beside it. */
export const CHILD = join(import.meta.dirname, 'child')

/** The path of one of them, built or as its source. */
export const programOf = (name: string): string =>
  join(CHILD, `${name}.${import.meta.filename.endsWith('.ts') ? 'ts' : 'mjs'}`)

/** Starts handlers in processes of their own. */
export class Handlers {
  readonly launcher: Launcher
  readonly limits: ProcessLimits
  readonly kept = new LoadedCode()
  readonly #heapMb: number

  constructor(launcher: Launcher, limits: ProcessLimits, heapMb: number) {
    this.launcher = launcher
    this.limits = limits
    this.#heapMb = heapMb
  }

  /**
   * Starts a process with this handler. With `loaded`, it runs the code that was loaded, so that
   * code that a person approved cannot be replaced meanwhile. If the files changed on disk, those
   * of the bundle are used.
   */
  async start(
    root: string,
    code: Code,
    env: Readonly<Record<string, string>>,
    {
      loaded,
      describe = false,
      config,
      signal,
    }: {
      readonly loaded?: { readonly digest: string; readonly files: readonly BundleFile[] }
      readonly describe?: boolean
      /** Of a guard. */
      readonly config?: JsonObject
      readonly signal: AbortSignal
    },
  ): Promise<Result<HandlerProcess, LoadFailure>> {
    const from = loaded ? await this.#standing(root, code, loaded.digest, loaded.files) : ok(root)
    if (!from.ok) return from
    const interpreter = await this.interpreter(root, code)
    if (!interpreter.ok) return interpreter
    const { argv, readable } = interpreter.value
    const place = this.place(from.value, code)
    const installed =
      from.value === root || code.folder === undefined
        ? []
        : [join(root, code.folder, 'node_modules')].filter((path) => existsSync(path))
    const roots = [...place.readable, ...installed]
    const command = await this.launcher.command(argv, {
      ...place,
      readable: [...roots, ...readable],
    })
    if (!command.ok) return command
    return HandlerProcess.start(
      command.value,
      place.cwd,
      {
        entry: join(from.value, code.entry),
        form: code.form ?? 'handler',
        roots,
        env,
        describe,
        ...(config && { config }),
      },
      this.limits,
      signal,
    )
  }

  /** Starts the handler that attempts what none may do, in the sandbox to be tested. */
  async startAttempts(
    machine: Machine,
    signal: AbortSignal,
  ): Promise<Result<HandlerProcess, LoadFailure>> {
    const interpreter = await this.interpreter('', {
      entry: '',
      language: 'typescript',
      shared: [],
    })
    if (!interpreter.ok) return interpreter
    const { argv, readable } = interpreter.value
    const command = this.launcher.commandIn(machine, argv, { cwd: CHILD, readable })
    return HandlerProcess.start(
      command,
      CHILD,
      { entry: programOf('attempts'), form: 'handler', roots: [CHILD], env: {}, describe: false },
      this.limits,
      signal,
    )
  }

  /** The folder in which the code that was loaded stands. */
  async #standing(
    root: string,
    code: Code,
    digest: string,
    files: readonly BundleFile[],
  ): Promise<Result<string, Failure>> {
    const sources = sourcesOf(root, code)
    const now = await digestOf(sources)
    if (now.ok && now.value === digest) return ok(root)
    const kept = await this.kept.folder(digest, sources, files)
    return kept === undefined
      ? err(
          failure('TOOL_CHANGED', 'its files are not those that were loaded: load the agent again'),
        )
      : ok(kept)
  }

  /** A handler runs in its folder, and can read only that and shared code. */
  place(root: string, code: Code): Place {
    return {
      cwd: dirname(join(root, code.entry)),
      readable: sourcesOf(root, code).paths.map((path) => join(root, path)),
    }
  }

  async interpreter(
    root: string,
    { folder, language }: Code,
  ): Promise<Result<Interpreter, Failure>> {
    if (language === 'typescript') {
      const node = await realpath(process.execPath)
      const flags = [
        `--max-old-space-size=${this.#heapMb}`,
        '--disable-warning=ExperimentalWarning',
        '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON',
      ]
      return ok({ argv: [node, ...flags, programOf('runner')], readable: [CHILD, node] })
    }
    const own = folder === undefined ? undefined : join(root, folder, '.venv/bin/python')
    const has =
      own !== undefined &&
      (await access(own).then(
        () => true,
        () => false,
      ))
    const python = has ? ok(own) : await this.launcher.python()
    if (!python.ok) return python
    return ok({
      argv: [python.value, '-I', '-B', '-X', 'utf8', join(CHILD, 'runner.py')],
      readable: [CHILD, homeOf(python.value)],
    })
  }
}

/** What belongs to a handler's code: its own folder or file, and what all handlers share. */
export function sourcesOf(root: string, { entry, folder, shared }: Code): Sources {
  return { root, paths: [folder ?? entry, ...shared] }
}

/** The folders and files that hold code which all tools may import. */
export function sharedIn(files: readonly { readonly path: string }[]): readonly string[] {
  return [
    ...new Set(
      files
        .filter(({ path }) => isSharedCode(path))
        .map(({ path }) => /^.*?\/_[^/]+/.exec(path)?.[0] ?? path),
    ),
  ]
}
