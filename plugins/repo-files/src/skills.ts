import type { BundleFile, Skill } from '@amodal/sdk'
import type { Issues } from '@amodal/sdk/files'
import { joined, readMarkdown, textField, titleAt } from './markdown.ts'
import { readSkillFields } from './skill-fields.ts'

/**
 * `skills/<name>/SKILL.md` and flat `skills/<name>.md`; a folder wins over a flat file of the same
 * name.
 */
const FOLDER = /^(?:amodal\/)?skills\/(?:.+\/)?([^/]+)\/SKILL\.md$/i
const FLAT = /^(?:amodal\/)?skills\/([^/]+)\.md$/i

export function isSkill(path: string): boolean {
  return FOLDER.test(path) || (FLAT.test(path) && !/\/readme\.md$/i.test(path))
}

/** Reads the skills; one that cannot be read is left out. */
export function readSkills(files: readonly BundleFile[], issues: Issues): readonly Skill[] {
  warnOfFoldersWithout(files, issues)
  const byName = new Map<string, Skill>()
  const foldersFirst = files
    .filter(({ path }) => isSkill(path))
    .sort((a, b) => Number(FOLDER.test(b.path)) - Number(FOLDER.test(a.path)))
  for (const file of foldersFirst) {
    const skill = readSkill(file, issues)
    if (!skill) continue
    const key = skill.name.toLowerCase()
    const other = byName.get(key)
    if (other)
      issues.error(
        'DUPLICATE_NAME',
        `the skill "${skill.name}" exists already, in ${other.file}; this one is left out`,
        { file: file.path, line: 1, fix: 'give one of them another name' },
      )
    else byName.set(key, skill)
  }
  return [...byName.values()]
}

function readSkill(file: BundleFile, issues: Issues): Skill | undefined {
  const markdown = readMarkdown(file, issues)
  if (!markdown) return undefined
  const { fields, firstLine } = markdown
  const more = readSkillFields(file, fields, FOLDER.exec(file.path)?.[1], issues)
  if (!more) return undefined
  const named = textField(fields, 'name')
  const { title, rest } = splitTitle(markdown.lines, named !== undefined)
  const opening = readOpening(rest, textField(fields, 'description') === undefined)

  // macOS writes an ö as two characters; models and people write one.
  const name = (named ?? title ?? nameOf(file.path)).normalize('NFC')
  const description = textField(fields, 'description') ?? opening.description
  const trigger = textField(fields, 'trigger') ?? opening.trigger
  if (opening.body === '') {
    issues.error('BAD_REPO', 'the skill has no methodology and is left out', {
      file: file.path,
      line: firstLine,
      fix: 'write the steps below the description, for instance under `## Behavior`',
    })
    return undefined
  }
  if (description === '' && trigger === '') {
    issues.warn('BAD_REPO', `nothing says what the skill "${name}" is for`, {
      file: file.path,
      line: firstLine,
      fix: 'add a first paragraph and a line `Trigger: When …`',
    })
  }
  return { name, description, trigger, body: opening.body, file: file.path, ...more }
}

/**
 * A heading of the first level is the name where it comes first; of a skill that has one, only if
 * it says `Skill:`.
 */
function splitTitle(
  lines: readonly string[],
  named: boolean,
): { readonly title: string | undefined; readonly rest: readonly string[] } {
  const heading = titleAt(lines)
  const isName =
    heading &&
    joined(lines.slice(0, heading.index)) === '' &&
    (!named || /^skill:/i.test(heading.title))
  return isName
    ? { title: heading.title.replace(/^skill:\s*/i, ''), rest: lines.slice(heading.index + 1) }
    : { title: undefined, rest: lines }
}

interface Opening {
  readonly description: string
  readonly trigger: string
  readonly body: string
}

/**
 * Takes the `Trigger:` line and, where it is wanted, the first paragraph out of what stands above
 * the first heading.
 */
function readOpening(lines: readonly string[], describes: boolean): Opening {
  const heading = lines.findIndex((line) => /^#{1,6}\s/.test(line))
  const above = heading === -1 ? lines : lines.slice(0, heading)
  const below = heading === -1 ? [] : lines.slice(heading)

  const at = above.findIndex((line) => TRIGGER.test(line))
  const triggerEnd = at === -1 ? 0 : endOfParagraph(above, at + 1)
  const trigger = above
    .slice(Math.max(at, 0), triggerEnd)
    .map((line) => line.trim())
    .join(' ')
    .replace(TRIGGER, '')
  const others = [...above.slice(0, Math.max(at, 0)), ...above.slice(triggerEnd)]

  const start = others.findIndex((line) => line.trim() !== '')
  const end =
    describes && start !== -1 && !isBlock(others[start] ?? '')
      ? endOfParagraph(others, start + 1)
      : 0
  return {
    description: others
      .slice(Math.max(start, 0), end)
      .map((line) => line.trim())
      .join(' '),
    trigger,
    body: joined([...others.slice(end), ...below]),
  }
}

const TRIGGER = /^\s*\**trigger:\**\s*/i

function endOfParagraph(lines: readonly string[], from: number): number {
  const end = lines.findIndex(
    (line, index) => index >= from && (line.trim() === '' || isBlock(line)),
  )
  return end === -1 ? lines.length : end
}

/** A line that cannot go on a paragraph: a list, a table, a quotation, code. */
const isBlock = (line: string): boolean => /^\s*([-*+]\s|\d+[.)]\s|\||```|~~~|>)/.test(line)
const nameOf = (path: string): string => (FOLDER.exec(path) ?? FLAT.exec(path))?.[1] ?? path

/** `skills/triage/skill.txt` would be overlooked in silence. */
function warnOfFoldersWithout(files: readonly BundleFile[], issues: Issues): void {
  const folderOf = (path: string): string | undefined =>
    /^(?:amodal\/)?skills\/[^/]+(?=\/)/.exec(path)?.[0]
  const complete = new Set(
    files.filter(({ path }) => FOLDER.test(path)).map(({ path }) => folderOf(path)),
  )
  const folders = new Set(files.map(({ path }) => folderOf(path)))
  for (const folder of folders) {
    if (folder === undefined || complete.has(folder)) continue
    issues.warn('BAD_REPO', 'this skill has no SKILL.md and is not read', {
      file: folder,
      fix: 'name its text SKILL.md',
    })
  }
}
