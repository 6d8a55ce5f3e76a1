import { isList, type BundleFile, type JsonObject, type KnowledgeDocument } from '@amodal/sdk'
import { partPath, type Issues } from '@amodal/sdk/files'
import { joined, readMarkdown, refuseUnreadProtections, textField, titleAt } from './markdown.ts'

const DOCUMENT = /^knowledge\/(.+)\.md$/i

export const isKnowledge = (path: string): boolean => DOCUMENT.test(partPath(path))

/**
 * Reads every markdown file below `knowledge/`: the path gives the name, the first heading the
 * title.
 */
export function readKnowledge(
  files: readonly BundleFile[],
  issues: Issues,
): readonly KnowledgeDocument[] {
  return files.flatMap((file) => {
    const name = DOCUMENT.exec(partPath(file.path))?.[1]
    const markdown = name === undefined ? undefined : readMarkdown(file, issues)
    if (name === undefined || !markdown) return []
    const { fields, lines, firstLine } = markdown
    if (refuseUnreadProtections(file, fields, issues)) return []
    const heading = titleAt(lines)
    const title =
      heading?.title.replace(/^knowledge:\s*/i, '') ?? textField(fields, 'title') ?? name
    const body = joined(
      heading ? [...lines.slice(0, heading.index), ...lines.slice(heading.index + 1)] : lines,
    )
    if (body === '') {
      issues.error('BAD_REPO', 'the document is empty and is left out', {
        file: file.path,
        line: firstLine,
        fix: 'write its text below the heading, or delete the file',
      })
      return []
    }
    const tags = tagsIn(fields)
    return [{ name, title, body, file: file.path, ...(tags.length > 0 && { tags }) }]
  })
}

/** `category` and `tags` of the frontmatter, as a list or with commas between. */
function tagsIn(fields: JsonObject): readonly string[] {
  const values = [fields['category'], fields['tags']].flatMap((value) => {
    if (isList(value)) return value
    return typeof value === 'string' ? value.split(',') : []
  })
  return [
    ...new Set(
      values.flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : [])),
    ),
  ]
}
