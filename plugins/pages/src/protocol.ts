/** Something that is wrong with a page, and where. */
export interface PageProblem {
  readonly message: string
  readonly file?: string
  /** From 1. */
  readonly line?: number
  /** From 1. */
  readonly column?: number
  /** The line as it is written. */
  readonly source?: string
  readonly fix?: string
}

/** A page as `GET /api/pages` returns it. */
export interface PageInfo {
  readonly name: string
  readonly title: string
  readonly file: string
  readonly description?: string
  /** Name of a Lucide icon. */
  readonly icon?: string
  readonly hidden: boolean
  /** Stores that it may read. */
  readonly stores: readonly string[]
  readonly automations: readonly string[]
  /** Skills that it may ask the agent to use. */
  readonly skills: readonly string[]
  /** Route parameters, with their types. */
  readonly context: Readonly<Record<string, ParameterType>>
  /** Absent where no version of the page could be built. */
  readonly build?: PageBuild
  /** What is wrong with the newest edit of its files; an older version may still be shown. */
  readonly problems: readonly PageProblem[]
}

/** What a frame loads of a page. */
export interface PageBuild {
  /** Of the content: another hash, another page. */
  readonly hash: string
  /** Order of hooks: while it is the same, an edit does not lose state. */
  readonly shape: string
  /** Path of the script. */
  readonly script: string
}

export type ParameterType = 'string' | 'number' | 'boolean'

/** A store that has a generated page: a list, and a view of each document. */
export interface EntityPage {
  readonly store: string
  readonly title: string
  readonly icon?: string
  readonly fields: readonly { readonly name: string; readonly type: string }[]
}

/** `GET /api/pages`. */
export interface PageList {
  readonly pages: readonly PageInfo[]
  readonly entities: readonly EntityPage[]
  /** Path of the document that a sandboxed frame opens for any page. */
  readonly frame: string
  /** Of files that are no page. */
  readonly problems: readonly PageProblem[]
}

/** Documents of a store, or one of them. */
export interface StoreRead {
  readonly store: string
  readonly key?: string
  /** As the query of an address. */
  readonly query?: string
}

/** What a frame sends to the window that shows it, through the port that it was given. */
export type FrameMessage =
  | ({ readonly op: 'read'; readonly id: number } & StoreRead)
  | { readonly op: 'invoke'; readonly id: number; readonly skill: string; readonly query: string }
  | { readonly op: 'open'; readonly href: string }
  | { readonly op: 'shown'; readonly hash: string }
  | { readonly op: 'alive' }
  | {
      readonly op: 'failed'
      readonly message: string
      readonly stack: string
      /** Nothing of the page is shown any more. */
      readonly fatal: boolean
    }

/** What the window sends to the frame. */
export type HostMessage =
  | {
      readonly op: 'load'
      readonly name: string
      readonly hash: string
      readonly shape: string
      readonly code: string
      readonly params: Readonly<Record<string, string | number | boolean>>
    }
  | { readonly op: 'theme'; readonly theme: 'light' | 'dark' }
  | { readonly op: 'changed'; readonly store: string }
  | { readonly op: 'ping' }
  | { readonly op: 'reply'; readonly id: number; readonly status: number; readonly body: string }
