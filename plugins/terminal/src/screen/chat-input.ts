import type { SessionSummary, Settlement } from '@amodal/sdk/client'
import { withoutControls } from '@amodal/sdk/data'
import { COMMANDS, commandIn, commandsLike, type TypedCommand } from '../input/commands.ts'
import { edited, EMPTY, insert, type Draft, type Edit } from '../input/draft.ts'
import { History } from '../input/history.ts'
import type { Intent } from '../input/keys.ts'
import type { ChatSessions } from '../session/chat-sessions.ts'
import type { ChatScreen } from './chat-screen.ts'
import { SessionPicker } from './session-picker.ts'

const HELP = [
  ...Object.entries(COMMANDS).map(([name, text]) => `${name.padEnd(10)} ${text}`),
  'Enter sends; Alt+Enter, Ctrl+J, or \\ and Enter begin another line; ↑ and ↓ show earlier messages.',
  'Esc stops the answer, Ctrl+C twice leaves, Ctrl+Z goes back to the shell.',
].join('\n')

const SETTLEMENTS: readonly Settlement[] = ['happened', 'not_happened', 'retry']
const TWICE = 'Ctrl+C once more leaves.'

export interface ChatInputOptions {
  readonly sessions: ChatSessions
  readonly screen: ChatScreen
  readonly onExit: () => void
  readonly onSuspend: () => void
  /** Called with the rows to scroll by, where the whole screen is used. */
  readonly onScroll: (by: 'page-up' | 'page-down') => void
}

/** What a person types: messages, commands, answers. */
export class ChatInput {
  readonly #options: ChatInputOptions
  readonly #history = new History()
  #draft: Draft = EMPTY
  #picker: SessionPicker | undefined
  #remark = ''
  /** Esc was pressed before the server had named the session. */
  #isStopWanted = false

  constructor(options: ChatInputOptions) {
    this.#options = options
  }

  get draft(): Draft {
    return this.#draft
  }
  get picker(): SessionPicker | undefined {
    return this.#picker
  }
  get remark(): string {
    return this.#remark
  }

  /** Inserts text that was pasted: nothing in it is a key. */
  paste(text: string): void {
    if (!this.#picker) this.#type(withoutControls(text))
  }

  press(intent: Intent): void {
    const remark = this.#remark
    this.#remark = ''
    switch (intent.kind) {
      case 'type':
        return this.#picker ? undefined : this.#type(withoutControls(intent.text))
      case 'edit':
        return this.#edit(intent.edit)
      case 'newline':
        return this.#picker ? undefined : this.#type('\n')
      case 'enter':
        return this.#enter()
      case 'escape':
        return this.#escape()
      case 'complete':
        return this.#complete()
      case 'interrupt':
        return this.#interrupt(remark)
      case 'end-of-input':
        return this.#draft.text === '' ? this.#options.onExit() : this.#edit('delete')
      case 'suspend':
        return this.#options.onSuspend()
      case 'page-up':
      case 'page-down':
        return this.#options.onScroll(intent.kind)
      default:
        return intent satisfies never
    }
  }

  /** Stops the answer as soon as its session has a name. */
  stopIfWanted(): void {
    const { current } = this.#options.sessions
    if (!this.#isStopWanted || current.session === undefined) return
    this.#isStopWanted = false
    void current.cancel()
  }

  /** Resumes a session; what went wrong becomes a remark. */
  async resume(session: string): Promise<void> {
    await this.#attempt(async () => this.show(await this.#options.sessions.resume(session)))
  }

  /** Shows the session that is resumed. */
  show({ id, title }: SessionSummary): void {
    const { sessions, screen } = this.#options
    screen.restart()
    screen.note('info', `Going on with "${title}" (${id})`)
    for (const item of sessions.current.snapshot.items)
      if (item.kind === 'user') this.#history.add(item.text)
    screen.update()
  }

  #type(text: string): void {
    this.#draft = insert(this.#draft, text)
    this.#options.screen.prompt?.select(this.#draft.text)
  }

  #edit(edit: Edit): void {
    const { prompt } = this.#options.screen
    const by = edit === 'up' ? -1 : 1
    const isVertical = edit === 'up' || edit === 'down'
    if (this.#picker) {
      if (isVertical) this.#picker.move(by)
    } else if (isVertical && prompt && prompt.choices.length > 0) {
      this.#draft = EMPTY
      prompt.move(by)
    } else {
      const draft = edited(this.#draft, edit)
      if (draft === this.#draft && isVertical) this.#recall(edit)
      else this.#draft = draft
      if (!isVertical) prompt?.select(this.#draft.text)
    }
  }

  #recall(edit: 'up' | 'down'): void {
    const message = edit === 'up' ? this.#history.earlier(this.#draft.text) : this.#history.later()
    if (message !== undefined) this.#draft = { text: message, cursor: message.length }
  }

  #enter(): void {
    const { screen } = this.#options
    const { text: typed, cursor } = this.#draft
    const text = typed.trimEnd()
    if (this.#picker) return this.#pick(this.#picker)
    if (screen.prompt) {
      this.#draft = EMPTY
      return this.#answer(text)
    }
    if (typed[cursor - 1] === '\\') {
      this.#draft = insert(edited(this.#draft, 'backspace'), '\n')
      return
    }
    if (text === '') return
    this.#draft = EMPTY
    this.#history.add(text)
    const command = commandIn(text)
    void this.#attempt(() => (command ? this.#run(command) : this.#send(text)))
  }

  #answer(text: string): void {
    const { sessions, screen } = this.#options
    const answer = screen.prompt?.enter(text)
    if (!answer) return
    void this.#attempt(async () => {
      await sessions.current.answer(answer)
      if (sessions.current.snapshot.locked !== undefined)
        screen.note('error', 'This answer needs a credential: set AMODAL_CREDENTIAL.')
      screen.update()
    })
  }

  async #send(text: string): Promise<void> {
    const { sessions, screen } = this.#options
    if (/^\/\w+$/.test(text)) {
      screen.note('warning', `There is no command ${text}. /help lists them.`)
      return
    }
    if (sessions.current.snapshot.state === 'idle') screen.beginTurn()
    await sessions.send(text)
  }

  #escape(): void {
    const { current } = this.#options.sessions
    if (this.#picker) this.#picker = undefined
    else if (current.snapshot.state !== 'idle') this.#stop()
  }

  #stop(): void {
    this.#isStopWanted = true
    this.stopIfWanted()
  }

  #interrupt(remark: string): void {
    if (remark === TWICE) return this.#options.onExit()
    this.#draft = EMPTY
    this.#picker = undefined
    this.#remark = TWICE
  }

  #complete(): void {
    const [name] = commandsLike(this.#draft.text)
    if (name !== undefined) this.#draft = { text: `${name} `, cursor: name.length + 1 }
  }

  #pick(picker: SessionPicker): void {
    this.#picker = undefined
    if (picker.selected) void this.resume(picker.selected.id)
  }

  async #run({ name, words }: TypedCommand): Promise<void> {
    const { sessions, screen, onExit } = this.#options
    switch (name) {
      case '/help':
        return screen.print(HELP)
      case '/exit':
        return onExit()
      case '/session':
        return screen.print(sessions.current.session ?? 'none yet')
      case '/new':
        sessions.begin()
        screen.restart()
        return screen.note('info', 'A new session begins with the next message.')
      case '/clear':
        await sessions.clear()
        return screen.note('info', '(forgotten)')
      case '/stop':
        return this.#stop()
      case '/retry':
        return sessions.current.release('continue')
      case '/end':
        return sessions.current.release('end')
      case '/settle':
        return this.#settle(words)
      case '/sessions':
        return this.#list()
      case '/resume':
        return words[0] === undefined ? this.#list() : this.#resumeNamed(words[0])
      default:
        return name satisfies never
    }
  }

  async #list(): Promise<void> {
    const { sessions, screen } = this.#options
    const recent = await sessions.recent()
    if (recent.length === 0) screen.note('info', 'There is no session yet.')
    else this.#picker = new SessionPicker(recent, sessions.current.session)
  }

  async #resumeNamed(word: string): Promise<void> {
    const session = await this.#options.sessions.find(word)
    if (session === undefined)
      this.#options.screen.note('warning', 'There is no such session. /sessions lists them.')
    else await this.resume(session)
  }

  async #settle([call, outcome]: readonly string[]): Promise<void> {
    const { sessions, screen } = this.#options
    const settlement = SETTLEMENTS.find((one) => one === outcome)
    if (call === undefined || settlement === undefined)
      return screen.note('warning', `Type /settle CALL ${SETTLEMENTS.join('|')}`)
    const problem = await sessions.current.settle(call, settlement)
    screen.note(problem === undefined ? 'info' : 'warning', problem ?? `${call} is settled.`)
  }

  /** What goes wrong is shown, and the conversation goes on. */
  async #attempt(work: () => Promise<void> | void): Promise<void> {
    try {
      await work()
    } catch (cause) {
      this.#options.screen.fail(cause)
    }
    this.#options.screen.updateSoon()
  }
}
