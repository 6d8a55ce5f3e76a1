import type { ReadStream, WriteStream } from 'node:tty'
import { registry, type Entry, type Kernel, type Logger } from '@amodal/kernel'
import type { BundleIssue } from './bundle.ts'

export interface CommandOption {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly description: string
  readonly default?: string | boolean
  readonly multiple?: boolean
}

/** How a command wants the agent folder started. */
export interface StartChange {
  /**
   * Starts the agent of another folder, such as a changed copy: its files, its wiring and its
   * `.env`. Relative to the working directory; left out: the folder of the command.
   */
  readonly dir?: string
  /**
   * The folder in whose `.amodal` data is kept, with the `.env`, where it is another than that of
   * the agent's files.
   */
  readonly stateDir?: string
  /** Plugins to leave out, such as `http`. */
  readonly without?: readonly string[]
  /**
   * These plugins and what they need are booted, without the agent: nothing answers messages. The
   * others are set up, for what they contribute.
   */
  readonly only?: readonly string[]
  readonly entries?: readonly Entry[]
  /** Address that the server listens on, in place of that of the command line and the folder. */
  readonly host?: string
  /** Port that the server listens on, in place of that of the command line. 0: any free port. */
  readonly port?: number
  /** Level of the log where the command line asks for none. Default: `warn`. */
  readonly logLevel?: 'none' | 'error' | 'warn'
  /** Sessions and documents are kept in memory, so that it also works while a server runs. */
  readonly looking?: boolean
}

/** The terminal of a person, for a command that draws on it and reads single keys. */
export interface CommandTerminal {
  readonly input: ReadStream
  readonly output: WriteStream
  /** Hands the terminal back to the shell; resolves once the person continues the command. */
  readonly suspend?: () => Promise<void>
}

/** What a command is given. Output goes through `print` and `fail`, so that a test can read it. */
export interface CommandContext {
  readonly options: Readonly<
    Record<string, string | boolean | readonly (string | boolean)[] | undefined>
  >
  readonly arguments: readonly string[]
  /** Absolute path of the agent folder. */
  readonly dir: string
  /**
   * What is wrong with the preset and the plugins that amodal.json names: `start` fails for the
   * same reasons.
   */
  readonly wiring?: readonly BundleIssue[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly print: (line: string) => void
  readonly write: (text: string) => void
  readonly fail: (line: string) => void
  readonly input: AsyncIterable<string>
  /**
   * How this command line is called here, for texts that say what to type: `amodal` where it is
   * left out.
   */
  readonly program?: string
  /**
   * A person sits at the terminal and can be asked; not where the input is a file or another
   * program.
   */
  readonly interactive?: boolean
  /** Only where both the input and the output are a terminal. */
  readonly terminal?: CommandTerminal
  readonly log: Logger
  /** Aborts on SIGINT and SIGTERM. */
  readonly signal: AbortSignal
  /** Starts the kernel of the agent folder; closed when the command ends. */
  readonly start: (change?: StartChange) => Promise<Kernel>
}

/** A command of `amodal`; contributed by plugins. */
export interface Command {
  /** What it does, in one line. */
  readonly summary: string
  readonly usage: string
  /** Lines of its help below the summary, for a reader who has never run it. */
  readonly about?: readonly string[]
  /** A line to type, and what it does. */
  readonly examples?: readonly (readonly [line: string, does: string])[]
  readonly options: Readonly<Record<string, CommandOption>>
  /**
   * Returns the exit code: 0 done, 1 it failed, 2 the command line was wrong, 130 it was
   * interrupted.
   */
  run(context: CommandContext): Promise<number>
}

/** Commands by their name, such as `inspect` or `ops audit`. */
export const Commands = registry<Command>('commands')
