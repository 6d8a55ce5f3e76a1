import type { AgentInstructions, BundleFile } from '@amodal/sdk'
import type { Issues } from '@amodal/sdk/files'
import { joined, readMarkdown, textField, titleAt } from './markdown.ts'

/** The folder form wins over the flat one of older repos. */
const PLACES = ['agents/main/AGENT.md', 'agents/main.md']

export const isInstructions = (path: string): boolean => PLACES.includes(path)

/** Reads the agent's own instructions: the text as it stands, without its frontmatter. */
export function readInstructions(files: readonly BundleFile[], issues: Issues): AgentInstructions | undefined {
  const file = PLACES.flatMap((path) => files.filter((each) => each.path === path))[0]
  const markdown = file && readMarkdown(file, issues)
  if (!file || !markdown) return undefined
  const body = joined(markdown.lines)
  if (body === '') {
    issues.error('BAD_REPO', 'the instructions are empty and are left out', { file: file.path, line: markdown.firstLine, fix: 'write them, or delete the file' })
    return undefined
  }
  const name = textField(markdown.fields, 'displayName') ?? textField(markdown.fields, 'name') ?? titleAt(markdown.lines)?.title.replace(/^agent:\s*/i, '') ?? 'main'
  return { name, body, file: file.path, fields: markdown.fields }
}
