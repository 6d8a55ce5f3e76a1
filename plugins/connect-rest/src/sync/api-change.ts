/**
 * What a change means for an agent: `breaking` calls or rules that worked may fail; `compatible`
 * calls go on; `wording` only texts for people changed.
 */
export type ChangeKind = 'breaking' | 'compatible' | 'wording'

/** One difference between two versions of an API document. */
export interface ApiChange {
  readonly kind: ChangeKind
  /** In a sentence without its end, such as `removed operation GET /deals`. */
  readonly text: string
  /** The operation that it is about, such as `GET /deals/{id}` or `QUERY deals`. */
  readonly operation?: string
  /** The field of a named schema that is there no more or of another type. */
  readonly field?: { readonly schema: string; readonly name: string }
}
