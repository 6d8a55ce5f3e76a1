import type { JsonObject } from '@amodal/sdk'

/** A document that takes the place of one of the agent's files. */
interface NewText {
  readonly content: string
  /** The file that it was read from, for messages; left out: it was sent. */
  readonly source?: string
}

/** What is different about an agent that is tried beside the one of the folder. */
export type Change =
  /** `name`: as the skill is called where the text does not say so. */
  | ({ readonly kind: 'skill'; readonly name?: string } & NewText)
  /** The instructions of the main agent. */
  | ({ readonly kind: 'prompt' } & NewText)
  /** `name`: its path below `knowledge/`, without `.md`. */
  | ({ readonly kind: 'knowledge'; readonly name: string } & NewText)
  /** `MODEL`, or `PROVIDER/MODEL`. */
  | { readonly kind: 'model'; readonly model: string }
  /** The folder as it is in this commit. */
  | { readonly kind: 'commit'; readonly commit: string }
  /** Merged into amodal.json; `null` removes a field (RFC 7396). */
  | { readonly kind: 'settings'; readonly settings: JsonObject; readonly source?: string }

export type ChangeKind = Change['kind']

/** Each kind, and what stands behind its `=`. */
export const CHANGE_KINDS: Readonly<Record<ChangeKind, string>> = {
  skill: 'FILE',
  prompt: 'FILE',
  knowledge: 'FILE',
  model: 'NAME',
  commit: 'SHA',
  settings: 'FILE.json',
}

/** How a change is written on the command line. */
export function changeText(change: Change): string {
  switch (change.kind) {
    case 'skill':
    case 'knowledge':
      return `${change.kind}=${change.source ?? change.name ?? ''}`
    case 'prompt':
    case 'settings':
      return `${change.kind}=${change.source ?? ''}`
    case 'model':
      return `model=${change.model}`
    case 'commit':
      return `commit=${change.commit}`
    default:
      return change satisfies never
  }
}
