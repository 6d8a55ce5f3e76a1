import type { AgentInstructions, BundleFile } from '@amodal/sdk'
import { INSTRUCTION_FILES, Issues } from '@amodal/sdk/files'
import { TOP_LIMITS } from './limits.ts'
import {
  joined,
  lineOfField,
  readMarkdown,
  refuseUnreadProtections,
  textField,
  titleAt,
} from './markdown.ts'

/** The folder form wins over the flat one of older repos. */

const MAIN_FOLDER = /^(?:amodal\/)?agents\/(?:main|default)(?=\/)/

export const isInstructions = (path: string): boolean =>
  INSTRUCTION_FILES.some((file) => file === path)

/** What the frontmatter of a sub-agent limits, and that of the main agent does not. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    TOP_LIMITS.map((name) => [
      name,
      `write it into \`limits\` of amodal.json, as in "limits": { "${name}": … }`,
    ]),
  ),
  tools: 'say what may be used in roles/',
  timeout: 'write `timeoutSeconds` into `limits` of amodal.json',
  model: 'name it in `models.main` of amodal.json',
  modelTier: 'name the model in `models.main` of amodal.json',
  model_tier: 'name the model in `models.main` of amodal.json',
  web_search: 'configure a search in `webTools` of amodal.json',
  instructions: 'write them below the frontmatter',
}

/** What the instructions say that the agent may not do, and nothing keeps. */
export function refuseUnreadInstructions(files: readonly BundleFile[], issues: Issues): void {
  refuseSecondMain(files, issues)
  for (const file of files.filter(({ path }) => isInstructions(path))) {
    const fields = readMarkdown(file, new Issues())?.fields ?? {}
    refuseUnreadProtections(file, fields, issues)
    for (const name of Object.keys(fields)) {
      const fix = Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name] : undefined
      if (fix !== undefined)
        issues.error('BAD_REPO', `\`${name}\` is not read in the instructions of the main agent`, {
          file: file.path,
          line: lineOfField(file, name),
          fix,
        })
    }
  }
}

/** Two folders of the main agent: one of them would hold limits that do not count. */
function refuseSecondMain(files: readonly BundleFile[], issues: Issues): void {
  const folders = Map.groupBy(
    files.filter(({ path }) => MAIN_FOLDER.test(path)),
    ({ path }) => MAIN_FOLDER.exec(path)?.[0] ?? '',
  )
  const [first, second] = folders.keys()
  if (first === undefined || second === undefined) return
  issues.error('DUPLICATE_NAME', `this is the main agent, which stands in ${first} as well`, {
    file: second,
    fix: 'keep one of them: `main` and `default` are names of the same agent',
  })
}

/** Reads the agent's own instructions: the text as it stands, without its frontmatter. */
export function readInstructions(
  files: readonly BundleFile[],
  issues: Issues,
): AgentInstructions | undefined {
  const file = INSTRUCTION_FILES.flatMap((path) => files.filter((each) => each.path === path))[0]
  const markdown = file && readMarkdown(file, issues)
  if (!file || !markdown) return undefined
  const body = joined(markdown.lines)
  if (body === '') {
    issues.error('BAD_REPO', 'the instructions are empty and are left out', {
      file: file.path,
      line: markdown.firstLine,
      fix: 'write them, or delete the file',
    })
    return undefined
  }
  const name =
    textField(markdown.fields, 'displayName') ??
    textField(markdown.fields, 'name') ??
    titleAt(markdown.lines)?.title.replace(/^agent:\s*/i, '') ??
    'main'
  return { name, body, file: file.path, fields: markdown.fields }
}
