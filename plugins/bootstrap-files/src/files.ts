import { BOOTSTRAP_FILES } from '@amodal/sdk/files'
import type { AgentBundle, BundleFile, BundleIssue, PromptSection } from '@amodal/sdk'

export interface Limits {
  readonly maxChars: number
  readonly maxTotalChars: number
}

/**
 * The files that the model sees, in the order of their names' list, and those that are too long for
 * it.
 */
export function chosen(
  { files }: AgentBundle,
  { maxChars, maxTotalChars }: Limits,
): { readonly files: readonly BundleFile[]; readonly issues: readonly BundleIssue[] } {
  const issues: BundleIssue[] = []
  const leftOut = (file: string, message: string, fix: string): void => {
    issues.push({ severity: 'error', code: 'TOO_LARGE', message, file, line: 1, fix })
  }
  let total = 0
  const shown = BOOTSTRAP_FILES.flatMap((path) =>
    files.filter((file) => file.path === path && file.text.trim() !== ''),
  ).filter(({ path, text: { length } }) => {
    if (length > maxChars) {
      leftOut(
        path,
        `the file has ${length} characters, more than the ${maxChars} allowed, and is left out`,
        'shorten it, move what is looked up into knowledge/, or raise `maxChars` of bootstrap-files',
      )
      return false
    }
    if (total + length > maxTotalChars) {
      leftOut(
        path,
        `with this file the bootstrap files have ${total + length} characters, more than the ${maxTotalChars} allowed together, and it is left out`,
        'shorten them, or raise `maxTotalChars` of bootstrap-files',
      )
      return false
    }
    total += length
    return true
  })
  return { files: shown, issues }
}

/** One section, each file between marks that no heading of it can be mistaken for. */
export function sectionOf(files: readonly BundleFile[]): readonly PromptSection[] {
  if (files.length === 0) return []
  const texts = files.map(({ path, text }) => `<file path="${path}">\n${text.trim()}\n</file>`)
  return [
    {
      id: 'bootstrap-files',
      title: '',
      weight: 15,
      category: 'system',
      body: `<bootstrap-files>\n${texts.join('\n\n')}\n</bootstrap-files>`,
      parts: files.map(({ path }, at) => ({
        name: path,
        chars: texts[at]?.length ?? 0,
        file: path,
      })),
    },
  ]
}
