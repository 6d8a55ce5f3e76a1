import { type BundleFile, isObject } from '@amodal/sdk'
import { Issues, type Place, readJsonObject } from '@amodal/sdk/files'

/**
 * Folders of the root that only the other layout has. They are read to be refused, unless a plugin
 * owns one.
 */
export const OTHER_FOLDERS = ['hooks', 'intents'] as const

/** The folder in which parts may stand, too: `amodal/skills` beside `skills`. */
export const PARTS_FOLDER = 'amodal'

/** What it may have beside parts: code that parts import, and what belongs to a build. */
const BESIDE_PARTS =
  /^amodal\/(?:_lib|_types|src|public|tests|steps|docs|dist)\/|\.test\.[mc]?[jt]sx?$/
const PART = /^amodal\/(?:agents|tools|stores|connections|knowledge|skills)\/./

const FOLDER_FIXES: Readonly<Record<(typeof OTHER_FOLDERS)[number], string>> = {
  hooks: 'take the plugin `tools-custom` into the preset, which runs the guards of this folder',
  intents: 'write each one as a tool in tools/, and a skill that says when to call it',
}

interface OtherFields {
  readonly file: RegExp
  readonly fields: Readonly<Record<string, string>>
}

/** Fields of the other layout in files that both have. */
const OTHER_FIELDS: readonly OtherFields[] = [
  {
    file: /^(?:amodal|\.amodal\/config)\.json$/,
    fields: {
      runtimeApp: 'serve the page with a server of yours, and reach the agent over HTTP',
    },
  },
  {
    file: /^connections\/[^/]+\/spec\.json$/,
    fields: { openapi: 'name the document in `specUrl`' },
  },
]

const LAYOUT = 'a part of the second layout of agent folders that is not supported yet'

interface Surroundings {
  readonly owned: readonly string[]
  readonly unread: readonly string[]
}

/**
 * What belongs to another layout of agent folders. An agent without its guards, policies or prompts
 * is another agent than the one that was written, so that it is refused and not loaded in part.
 *
 * @param about `owned`: folders that a plugin reads; `unread`: files and folders that are there and
 *   could not be read
 */
export function refuseOtherLayout(
  files: readonly BundleFile[],
  { owned, unread }: Surroundings,
  issues: Issues,
): void {
  const refuse = (what: string, place: Place): void =>
    issues.error(
      'BAD_REPO',
      `${what} belongs to ${LAYOUT}, and the agent is not started without it`,
      place,
    )
  for (const folder of OTHER_FOLDERS) {
    const first = [...files.map(({ path }) => path), ...unread].find(
      (path) => path === folder || path.startsWith(`${folder}/`),
    )
    if (first !== undefined && !owned.includes(folder))
      refuse(`the folder \`${folder}\``, { file: first, line: 1, fix: FOLDER_FIXES[folder] })
  }
  for (const file of files) {
    const part = file.path.replace(/^amodal\//, '')
    for (const { fields } of OTHER_FIELDS.filter(({ file: pattern }) => pattern.test(part))) {
      // What is wrong with its JSON is told where it is read.
      const json = readJsonObject(file, new Issues())
      if (!json || !isObject(json.value)) continue
      for (const [field, instead] of Object.entries(fields)) {
        if (json.value[field] !== undefined)
          refuse(`\`${field}\``, { file: file.path, line: json.lineOf([field]), fix: instead })
      }
    }
  }
}

/**
 * What stands in the folder of parts and is none. A folder of it that nobody reads would be a part
 * that the agent lacks.
 */
export function reportUnreadParts(
  files: readonly BundleFile[],
  unread: readonly string[],
  issues: Issues,
): void {
  const inside = [...files.map(({ path }) => path), ...unread].filter((path) =>
    path.startsWith(`${PARTS_FOLDER}/`),
  )
  const others = inside.filter((path) => !PART.test(path) && !BESIDE_PARTS.test(path))
  const entries = new Set(others.map((path) => path.split('/').slice(0, 2).join('/')))
  for (const entry of entries)
    issues.error('BAD_REPO', 'this is no part of an agent, and is not read', {
      file: entry,
      fix: `${PARTS_FOLDER}/ has agents, tools, stores, connections, knowledge and skills; code that they share stands in ${PARTS_FOLDER}/_lib`,
    })
  if (inside.length > 0 && !inside.some((path) => PART.test(path)))
    issues.error('BAD_REPO', `nothing of ${PARTS_FOLDER}/ is a part of an agent`, {
      file: PARTS_FOLDER,
      fix: `put the parts into ${PARTS_FOLDER}/agents, ${PARTS_FOLDER}/tools and so on`,
    })
}
