import { render, type SuspendTerminal } from 'ink'
import { createElement } from 'react'
import type { CommandContext, CommandTerminal } from '@amodal/sdk'
import type { SessionSummary } from '@amodal/sdk/client'
import { coloured, plain } from '../paint.ts'
import type { ChatSessions } from '../session/chat-sessions.ts'
import { ChatApp, type Frame } from './chat-app.ts'
import { ChatInput } from './chat-input.ts'
import { ChatScreen } from './chat-screen.ts'
import { fullscreenFrame } from './fullscreen.ts'
import { livePart, type LivePart } from './live-part.ts'
import { eraseReflowed } from './reflow.ts'

const FRAMES_PER_SECOND = 15
/** Rows that stay free, so that no frame fills the screen. */
const FREE_ROWS = 2

/**
 * A conversation that is drawn on a terminal: finished lines go into its scrollback, and only a few
 * lines below them change.
 */
export async function chatOnTerminal(
  context: CommandContext,
  terminal: CommandTerminal,
  sessions: ChatSessions,
): Promise<number> {
  const { env, options, program = 'amodal', signal } = context
  const { resume } = options
  const session = typeof resume === 'string' ? await sessions.find(resume) : undefined
  if (resume !== undefined && session === undefined) {
    context.fail('there is no session to resume')
    return 1
  }
  const resumed = session === undefined ? undefined : await sessions.resume(session)
  const isPlain = options['no-color'] === true || (env['NO_COLOR'] ?? '') !== ''
  const ui = new TerminalUi(terminal, sessions, {
    paint: isPlain ? plain : coloured,
    isFullscreen: options['fullscreen'] === true,
  })
  const stop = (): void => ui.exit()
  signal.addEventListener('abort', stop, { once: true })
  try {
    await ui.run(resumed)
  } finally {
    signal.removeEventListener('abort', stop)
  }
  const { session: last } = sessions.current
  if (last !== undefined) context.print(`Resume with: ${program} chat --resume ${last}`)
  return 0
}

const NOTHING: LivePart = { lines: [], cursor: undefined }

interface UiOptions {
  readonly paint: typeof plain
  readonly isFullscreen: boolean
}

/** The parts of the interface, joined. */
class TerminalUi {
  readonly #terminal: CommandTerminal
  readonly #sessions: ChatSessions
  readonly #options: UiOptions
  readonly #screen: ChatScreen
  readonly #input: ChatInput
  readonly #listeners = new Set<() => void>()
  readonly #exited = Promise.withResolvers<void>()
  #frame: Frame | undefined
  #suspendTerminal: SuspendTerminal | undefined
  /** Nothing but the scrollback stays. */
  #isOver = false
  /** Lines that the person has scrolled back, where the whole screen is used. */
  #scrolled = 0

  constructor(terminal: CommandTerminal, sessions: ChatSessions, options: UiOptions) {
    this.#terminal = terminal
    this.#sessions = sessions
    this.#options = options
    const { output } = terminal
    this.#screen = new ChatScreen({
      sessions,
      paint: options.paint,
      columns: output.columns,
      written: () => output.bytesWritten,
      onChange: () => this.#changed(),
    })
    this.#input = new ChatInput({
      sessions,
      screen: this.#screen,
      onExit: () => this.exit(),
      onSuspend: () => void this.#suspend(),
      onScroll: (by) => this.#scroll(by),
    })
  }

  exit(): void {
    this.#exited.resolve()
  }

  /** Draws until the person leaves. */
  async run(resumed: SessionSummary | undefined): Promise<void> {
    const { input, output } = this.#terminal
    const leave = this.#sessions.subscribe(() => {
      this.#input.stopIfWanted()
      this.#screen.updateSoon()
    })
    const resized = (): void => this.#resized()
    // before the listener of Ink, which erases what it believes to be on the screen
    output.prependListener('resize', resized)
    const instance = render(
      createElement(ChatApp, {
        subscribe: (listener) => {
          this.#listeners.add(listener)
          return () => this.#listeners.delete(listener)
        },
        frame: () => (this.#frame ??= this.#build()),
        input: this.#input,
        onKey: (suspend) => {
          this.#suspendTerminal = suspend
        },
        onHandled: () => this.#changed(),
      }),
      {
        stdin: input,
        stdout: output,
        maxFps: FRAMES_PER_SECOND,
        exitOnCtrlC: false,
        patchConsole: false,
        incrementalRendering: true,
        interactive: true,
        isScreenReaderEnabled: false,
        alternateScreen: this.#options.isFullscreen,
      },
    )
    try {
      if (resumed) this.#input.show(resumed)
      else this.#screen.print('Type a message, or /help.')
      await Promise.race([this.#exited.promise, instance.waitUntilExit()])
    } finally {
      leave()
      output.off('resize', resized)
      this.#screen.close()
      this.#isOver = true
      this.#changed()
      await instance.waitUntilRenderFlush()
      instance.unmount()
      await instance.waitUntilExit()
    }
  }

  #changed(): void {
    this.#frame = undefined
    for (const listener of this.#listeners) listener()
  }

  #build(): Frame {
    const { output } = this.#terminal
    const { session, snapshot } = this.#sessions.current
    const { blocks, layout, pending, prompt, tail } = this.#screen
    const { draft, picker, remark } = this.#input
    const rows = Math.max(2, output.rows - FREE_ROWS)
    const state = { state: snapshot.state, tail, pending, draft, prompt, picker, remark, session }
    const live = this.#isOver ? NOTHING : livePart(state, layout, rows)
    return this.#options.isFullscreen
      ? fullscreenFrame(blocks, live, output.rows - 1, this.#scrolled)
      : { blocks, live }
  }

  #resized(): void {
    const { output } = this.#terminal
    const { live } = (this.#frame ??= this.#build())
    if (!this.#options.isFullscreen) output.write(eraseReflowed(live, output.columns))
    this.#screen.resize(output.columns)
  }

  #scroll(by: 'page-up' | 'page-down'): void {
    const page = Math.max(1, this.#terminal.output.rows - FREE_ROWS)
    this.#scrolled = Math.max(0, this.#scrolled + (by === 'page-up' ? page : -page))
  }

  async #suspend(): Promise<void> {
    const { suspend } = this.#terminal
    if (!suspend || !this.#suspendTerminal) return
    await this.#suspendTerminal(suspend)
    this.#screen.update()
  }
}
