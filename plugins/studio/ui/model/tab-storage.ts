import { storageOutbox } from '@amodal/sdk/client'

/** The credentials, if the server requires them. */
export interface Credentials {
  readonly key: string
  readonly scope: string
}

const WHO = 'amodal.who'
const SENT = 'amodal.sent'
const SENT_TO_ADMIN = 'amodal.sent-to-admin'
const THEME = 'amodal.theme'
const RAIL = 'amodal.rail'

/** What this tab stores while it is open. */
export const tabStorage = {
  who: (): Credentials | undefined => read(sessionStorage, WHO, isWho),
  storeCredentials: (who: Credentials | undefined): void => write(sessionStorage, WHO, who),
  /** Messages whose turns have not ended, so that a page that is loaded anew finds their streams. */
  outbox: storageOutbox(() => sessionStorage, SENT),
  /** The same of the admin agent. */
  adminOutbox: storageOutbox(() => sessionStorage, SENT_TO_ADMIN),
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
