import type { KnowledgeDocument } from '@amodal/sdk'

/** `false-positives`, `False Positives` and `false_positives` are one. */
export const plain = (name: string): string =>
  name
    .trim()
    .replace(/\.md$/i, '')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_')

/** What a document is about: its tags, its name, and the folders it stands in. */
export const topicsOf = ({ name, tags = [] }: KnowledgeDocument): readonly string[] =>
  [...tags, ...name.split('/')].map(plain)

/** The document of a name, or else all that are about it; none where neither is there. */
export function wanted(
  documents: readonly KnowledgeDocument[],
  asked: string,
): readonly KnowledgeDocument[] {
  const exact =
    documents.find(({ name }) => name === asked) ??
    documents.find(({ name }) => plain(name) === plain(asked))
  return exact ? [exact] : documents.filter((document) => topicsOf(document).includes(plain(asked)))
}
