import { type BundleFile, isObject, type JsonObject } from '@amodal/sdk'
import { Issues, type Place, readJsonObject } from '@amodal/sdk/files'

/**
 * Folders of the root that only the other layout has. They are read to be refused, unless a plugin
 * owns one.
 */
export const OTHER_FOLDERS = ['amodal', 'hooks', 'intents'] as const

const FOLDER_FIXES: Readonly<Record<(typeof OTHER_FOLDERS)[number], string>> = {
  amodal: 'move the folders that stand in it beside amodal.json',
  hooks:
    'write each guard as a plugin that taps `tool.guard` and name it in `plugins` (`amodal docs write-a-plugin#a-guard`); code that is no guard belongs outside of the agent folder',
  intents: 'write each one as a tool in tools/, and a skill that says when to call it',
}

/** Files of the other layout, and how the same is said in this one. */
const OTHER_FILES: readonly (readonly [RegExp, string])[] = [
  [
    /^agents\/[^/]+\/agent\.(?:json|[mc]?[jt]s)$/,
    'write `tools` and its limits into the frontmatter of AGENT.md beside it',
  ],
  [
    /^agents\/default\/AGENT\.md$/,
    'name the folder `main`, which is what the main agent is called here',
  ],
  [/^connections\/[^/]+\/policy\.json$/, 'write its rules into access.json beside it'],
]

interface OtherFields {
  readonly file: RegExp
  readonly fields: Readonly<Record<string, string>>
  readonly when?: (value: JsonObject) => boolean
}

/** Fields of the other layout in files that both have. */
const OTHER_FIELDS: readonly OtherFields[] = [
  {
    file: /^(?:amodal|\.amodal\/config)\.json$/,
    fields: {
      memory:
        'write { "without": "memory" } into `plugins` to take memory away, or set its limits there as in ["memory", { "maxEntries": 50 }]',
      packages: 'copy the folders that the agent needs of them into its own',
      runtimeApp: 'serve the page with a server of yours, and reach the agent over HTTP',
    },
  },
  {
    file: /^stores\/(?![^/]*\.seed\.json$)[^/]+\.json$/,
    when: (value) => value['entity'] === undefined,
    fields: {
      schema:
        'write `key` and `schema` into `entity`, as in "entity": { "key": "{id}", "schema": { … } }',
    },
  },
  {
    file: /^tools\/[^/]+\/tool\.json$/,
    fields: {
      triggers: 'call the tool from a skill, which the model chooses',
      execution: 'leave it out: each call is kept in the journal already',
    },
  },
  {
    file: /^connections\/[^/]+\/spec\.json$/,
    fields: { openapi: 'name the document in `specUrl`', test: 'name a path to GET in `testPath`' },
  },
]

const LAYOUT = 'a layout of agent folders that is not supported yet'

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
  for (const file of codeTools(files))
    refuse('this file', {
      file: file.path,
      line: 1,
      fix: 'write a tool.json, and a handler.ts that exports its handler',
    })
  for (const file of files) {
    const fix = OTHER_FILES.find(([pattern]) => pattern.test(file.path))?.[1]
    if (fix !== undefined) refuse('this file', { file: file.path, line: 1, fix })
    for (const { fields, when } of OTHER_FIELDS.filter(({ file: pattern }) =>
      pattern.test(file.path),
    )) {
      // What is wrong with its JSON is told where it is read.
      const json = readJsonObject(file, new Issues())
      if (!json || !isObject(json.value) || when?.(json.value) === false) continue
      for (const [field, instead] of Object.entries(fields)) {
        if (json.value[field] !== undefined)
          refuse(`\`${field}\``, { file: file.path, line: json.lineOf([field]), fix: instead })
      }
    }
  }
}

/** A `tool.ts` that is the tool; beside a handler it is code of its own. */
function codeTools(files: readonly BundleFile[]): readonly BundleFile[] {
  const folders = new Set(
    files.flatMap(({ path }) => /^(tools\/[^/]+)\/handler\.[^/]+$/.exec(path)?.[1] ?? []),
  )
  return files.filter(({ path }) => {
    const folder = /^(tools\/[^_/][^/]*)\/tool\.[mc]?[jt]s$/.exec(path)?.[1]
    return folder !== undefined && !folders.has(folder)
  })
}
