import type { SessionFile } from './timeline.ts'

/** The credentials, if the server requires them. */
export interface Credentials {
  readonly key: string
  readonly scope: string
}

/** A message whose turn has not ended yet, so that a page that is loaded again finds its stream. */
export interface Sent {
  readonly key: string
  readonly session: string | undefined
  /** To the admin agent, and not to the agent. */
  readonly toAdmin?: true
  readonly text: string
  /** Files that go with it. */
  readonly assets?: readonly SessionFile[]
  /**
   * The key of the message that begins the session, where that has no id yet and this is another
   * one.
   */
  readonly behind?: string
  /** The last entry of the session when it was sent. */
  readonly after: number
  /** When, in ms since the epoch. */
  readonly at: number
}

/**
 * The server knows the key of an answered message for a day. One that it might have forgotten is
 * not sent again.
 */
const GOOD_FOR_MS = 12 * 3_600_000

const WHO = 'amodal.who'
const SENT = 'amodal.sent'
const THEME = 'amodal.theme'
const RAIL = 'amodal.rail'

/** What this tab stores while it is open. */
export const tabStorage = {
  who: (): Credentials | undefined => read(sessionStorage, WHO, isWho),
  storeCredentials: (who: Credentials | undefined): void => write(sessionStorage, WHO, who),
  sent: (): readonly Sent[] =>
    (read(sessionStorage, SENT, isSentList) ?? []).filter(
      ({ at }) => Date.now() - at < GOOD_FOR_MS,
    ),
  storeSent: (sent: readonly Sent[]): void =>
    write(sessionStorage, SENT, sent.length === 0 ? undefined : sent),
  theme: (): Theme => read(localStorage, THEME, isTheme) ?? 'system',
  storeTheme: (theme: Theme): void =>
    write(localStorage, THEME, theme === 'system' ? undefined : theme),
  isRailCollapsed: (): boolean => read(localStorage, RAIL, isTrue) ?? false,
  storeRailCollapsed: (isCollapsed: boolean): void =>
    write(localStorage, RAIL, isCollapsed ? true : undefined),
}

export type Theme = 'system' | 'light' | 'dark'

function read<T>(
  storage: Storage,
  name: string,
  is: (value: unknown) => value is T,
): T | undefined {
  try {
    const value: unknown = JSON.parse(storage.getItem(name) ?? 'null')
    return is(value) ? value : undefined
  } catch {
    return undefined // not ours, or not allowed to read
  }
}

function write(storage: Storage, name: string, value: unknown): void {
  try {
    if (value === undefined) storage.removeItem(name)
    else storage.setItem(name, JSON.stringify(value))
  } catch {
    // Full, or not allowed: then it is forgotten with the page.
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
const isTheme = (value: unknown): value is Theme =>
  value === 'system' || value === 'light' || value === 'dark'
const isTrue = (value: unknown): value is true => value === true
const isWho = (value: unknown): value is Credentials =>
  isObject(value) && typeof value['key'] === 'string' && typeof value['scope'] === 'string'
const isSentList = (value: unknown): value is readonly Sent[] =>
  Array.isArray(value) &&
  value.every(
    (one: unknown) =>
      isObject(one) &&
      typeof one['key'] === 'string' &&
      typeof one['text'] === 'string' &&
      typeof one['after'] === 'number' &&
      typeof one['at'] === 'number',
  )
