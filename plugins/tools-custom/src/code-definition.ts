import type { BundleFile, JsonObject } from '@amodal/sdk'
import type { JsonFile } from '@amodal/sdk/files'

const STRICTER = [false, 'allow', true, 'confirm', 'review', 'never']

/**
 * The definition in a tool's code, as a file with line numbers, so that it is validated like a
 * tool.json.
 */
export function codeDefinition(
  { path: file, text }: BundleFile,
  value: JsonObject,
): JsonFile<JsonObject> {
  const lines = text.split('\n')
  return {
    file,
    value,
    lineOf: (path) => {
      const name = path.findLast((part) => typeof part === 'string')
      const at = lines.findIndex((line) =>
        line
          .replaceAll(/['"]/g, '')
          .split(/[\s{,(]+/)
          .some((word) => word.startsWith(`${name}:`) || word === name),
      )
      return Math.max(1, at + 1)
    },
  }
}

/**
 * A tool.json and code that both define a tool: the file counts, but of two approvals the stricter
 * one.
 */
export function joinedDefinition(
  file: JsonFile<JsonObject>,
  code: JsonFile<JsonObject>,
): JsonFile<JsonObject> {
  const confirm = [file.value['confirm'], code.value['confirm']].reduce((one, other) =>
    rank(other) > rank(one) ? other : one,
  )
  return {
    file: file.file,
    value: { ...code.value, ...file.value, ...(confirm !== undefined && { confirm }) },
    lineOf: (path) => file.lineOf(path),
  }
}

/** An unknown value ranks as the strictest, so that it is validated and refused. */
const rank = (confirm: JsonObject[string] | undefined): number => {
  if (confirm === undefined) return -1
  const at = STRICTER.indexOf(confirm as string | boolean)
  return at === -1 ? STRICTER.length : at
}
