import type { KnowledgeDocument } from '@amodal/sdk'

/**
 * `false-positives`, `False Positives` and `false_positives` are one, and so are the two ways to
 * write `ö`: file names of macOS have it as two characters.
 */
export const plain = (name: string): string =>
  name
    .normalize('NFC')
    .trim()
    .replace(/\.md$/i, '')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_')

/** What a document is about: its tags, its name, and the folders it stands in. */
export const topicsOf = ({ name, tags = [] }: KnowledgeDocument): readonly string[] =>
  [...tags, ...name.split('/')].map(plain)

/** The document with this name; otherwise all documents about this topic. */
export function documentsFor(
  documents: readonly KnowledgeDocument[],
  topic: string,
): readonly KnowledgeDocument[] {
  const exact =
    documents.find(({ name }) => name === topic) ??
    documents.find(({ name }) => plain(name) === plain(topic))
  return exact ? [exact] : documents.filter((document) => topicsOf(document).includes(plain(topic)))
}
