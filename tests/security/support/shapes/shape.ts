import type { Json } from '@amodal/sdk'
import { leaksIn } from '../spellings.ts'

/** What nobody may see: each is a restricted field of a person. */
export const PLANTED = {
  ssn: '536-22-9871',
  email: 'maria.vandenberg@planted.example',
  limit: '48213',
  nickname: 'Quillfeather-Ostrander',
} as const
/** What everybody may see. */
export const SEEN = 'gold'

/** One way in which an answer may hold restricted values. */
export interface Shape {
  readonly name: string
  /** Text as it stands, anything else as JSON. */
  readonly body: Json
  readonly type?: string
  readonly status?: number
  /** It is understood: what is not restricted is told. */
  readonly understood?: true
  /** Nothing of it is told, and it is said so. */
  readonly withheld?: true
}

/** Which planted values a text gives away. */
export const leaked = (text: string): readonly string[] => [
  ...leaksIn(text, { ssn: PLANTED.ssn, email: PLANTED.email, nickname: PLANTED.nickname }),
  ...(text.includes(PLANTED.limit) ? ['limit'] : []),
]
