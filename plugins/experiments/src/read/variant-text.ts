import type { AgentBundle, BundleFile, BundleIssue } from '@amodal/sdk'
import { placeOf, type Issues, type JsonFile, type Path } from '@amodal/sdk/files'

/** A text of a variant: where it is written, and what it says. */
export interface SourceText {
  readonly text: string
  /** Where its first line is. */
  readonly file: string
  readonly line: number
}

/** The name of a file, and no text: one word that ends like one. */
const FILE = /^[^\s]+\.md$/i

/**
 * The text that a value means: what a file below `experiments/` says, or the value itself.
 *
 * @returns `undefined` where there is no such file, which is an issue then
 */
export function sourceText(
  value: string,
  {
    json,
    path,
    bundle,
  }: { readonly json: JsonFile; readonly path: Path; readonly bundle: AgentBundle },
  issues: Issues,
): SourceText | undefined {
  const place = placeOf(json, path)
  if (!FILE.test(value)) return { text: value, ...place }
  const file = `experiments/${value.replace(/^\.\//, '')}`
  const found: BundleFile | undefined = bundle.files.find((one) => one.path === file)
  if (found) return { text: found.text, file, line: 1 }
  issues.error('EXPERIMENT_INVALID', `there is no file ${file}`, {
    ...place,
    fix: 'write its path below experiments/, such as "shorter/prompt.md", or the text itself',
  })
  return undefined
}

/**
 * Hands on what a reader found wrong with a text that it read under the path of another file.
 *
 * @returns whether the text can be used
 */
export function forwardIssues(
  found: readonly BundleIssue[],
  { file, line }: SourceText,
  isOwnFile: boolean,
  issues: Issues,
): boolean {
  for (const { severity, message, fix, line: inText = 1 } of found) {
    const place = {
      file,
      line: isOwnFile ? inText : line,
      ...(fix !== undefined && { fix }),
    }
    if (severity === 'error') issues.error('EXPERIMENT_INVALID', message, place)
    else issues.warn('EXPERIMENT_INVALID', message, place)
  }
  return found.every(({ severity }) => severity !== 'error')
}
