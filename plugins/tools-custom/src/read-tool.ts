import { type BundleFile, hashOf, isObject, type JsonObject } from '@amodal/sdk'
import { type JsonFile, type Place, readJsonObject } from '@amodal/sdk/files'
import { type Candidate, codeIn } from './candidates.ts'
import { codeDefinition, joinedDefinition } from './code-definition.ts'
import { readCodeTool } from './code-tool.ts'
import type { CustomTool, HandlerTool, Language, Shaping, Step, StepsTool } from './custom-tool.ts'
import { dependenciesAreThere } from './dependencies.ts'
import { digestOf } from './digest.ts'
import { definitionIn, syntaxProblems } from './examine.ts'
import {
  type Fields,
  readFields,
  readHttp,
  readSteps,
  readType,
  type StepFields,
  toolName,
  type ToolType,
  warnPlaceholders,
} from './fields.ts'
import { sharedIn, sourcesOf, type Code } from './handlers.ts'
import { checkOf, parametersOf } from './parameters.ts'
import type { Reading } from './reading.ts'
import { isReading } from './steps.ts'
import { tierOf } from './tool-tier.ts'
import { readTriggers } from './triggers/read-triggers.ts'

/** Reads one tool, or says why it cannot be used. */
export async function readTool(
  candidate: Candidate,
  reading: Reading,
): Promise<CustomTool | undefined> {
  const { issues } = reading
  const json = candidate.definition && readJsonObject(candidate.definition, issues)
  if (candidate.definition && !json) return undefined
  const kind = json ? readType(json, issues) : 'function'
  if (kind === undefined) return undefined
  if (kind === 'function') return readHandler(candidate, json, reading)
  if (!json) return undefined
  if (candidate.code)
    issues.warn(
      'BAD_REPO',
      `nothing calls this handler: the tool.json says \`"type": "${kind}"\``,
      { file: candidate.code.file.path, fix: 'remove it, or remove `type`' },
    )
  return readRequests(candidate, json, kind, reading)
}

function readRequests(
  { name, definition }: Candidate,
  json: JsonFile<JsonObject>,
  kind: Exclude<ToolType, 'function'>,
  reading: Reading,
): StepsTool | undefined {
  const { issues } = reading
  const fields = readFields(json, kind, issues)
  const http = kind === 'http' ? readHttp(json, issues) : undefined
  const steps = kind === 'http' ? http && [{ ...http, name: 'request' }] : readSteps(json, issues)
  const common = fields && commonOf(fields, json, name, reading)
  if (!common || !steps) return undefined
  for (const part of kind === 'http' ? ['endpoint', 'params', 'data', 'headers'] : ['steps'])
    warnPlaceholders(json, [part], common.parameters, issues)
  const reads = steps.every(isReading)
  if (fields.readOnly === true && !reads) {
    issues.error(
      'BAD_REPO',
      'it is said to be read-only, and one of its methods changes something',
      { file: json.file, line: json.lineOf(['readOnly']), fix: 'remove `readOnly`, or use GET' },
    )
    return undefined
  }
  return {
    ...common,
    kind,
    steps: steps.map(stepOf),
    readOnly: fields.readOnly ?? reads,
    digest: hashOf(definition?.text ?? ''),
  }
}

function stepOf({ responseShaping, ...step }: StepFields): Step {
  return { ...step, ...(responseShaping && { shaping: responseShaping satisfies Shaping }) }
}

async function readHandler(
  candidate: Candidate,
  json: JsonFile<JsonObject> | undefined,
  reading: Reading,
): Promise<HandlerTool | undefined> {
  const { root, packageFolder, issues } = reading
  const code = codeIn(candidate, languageIn(json))
  if (!code) {
    const handler = languageIn(json) === 'python' ? 'handler.py' : 'handler.ts'
    issues.error('BAD_REPO', `there is no ${handler} beside it`, {
      file: candidate.definition?.path ?? candidate.name,
      line: 1,
      fix: `write ${handler}, or say "type": "http" or "chain"`,
    })
    return undefined
  }
  const { file, language, form } = code
  if (root === undefined) {
    issues.error(
      'UNREADABLE',
      "a handler is loaded from the agent's folder, and this agent has none",
      { file: file.path, fix: 'load the agent from a folder' },
    )
    return undefined
  }
  const place: Code = {
    entry: file.path,
    language,
    shared: sharedIn(reading.shared),
    ...(form && { form }),
    ...(candidate.folder !== undefined && { folder: candidate.folder }),
  }
  const digest = await digestOf(sourcesOf(root, place))
  if (!digest.ok) {
    issues.error(digest.error.code, digest.error.message, {
      file: file.path,
      fix: 'put plain files into its folder',
    })
    return undefined
  }
  if (
    !(await dependenciesAreThere(root, candidate, language, issues)) ||
    !(await interpreterIsThere(root, place, file, reading))
  )
    return undefined
  const written = await definitionOf(candidate, json, place, digest.value, file, reading)
  const codeTool = written && form === 'tool' ? readCodeTool(written, issues) : undefined
  const definition = form === 'tool' ? codeTool?.definition : written
  const fields = definition && readFields(definition, 'function', issues)
  const common = fields && commonOf(fields, definition, candidate.name, reading)
  if (!common) return undefined
  const started = readTriggers(definition, { name: common.name, language }, issues)
  if (!started) return undefined
  tellVariables(fields, definition, reading)
  if (fields.mutating && fields.readOnly === true) {
    reading.issues.error('BAD_REPO', 'it is said to be read-only, and to change the state', {
      file: definition.file,
      line: definition.lineOf(['mutating']),
      fix: 'remove `readOnly` or `mutating`',
    })
    return undefined
  }
  return {
    ...common,
    ...place,
    ...(packageFolder !== undefined && { root: packageFolder }),
    ...(codeTool?.callers && { callers: codeTool.callers }),
    ...(codeTool?.prompt !== undefined && { prompt: codeTool.prompt }),
    ...started,
    kind: 'handler',
    readOnly: fields.readOnly ?? false,
    env: fields.env,
    mutating: fields.mutating,
    digest: digest.value,
  }
}

function languageIn(json: JsonFile<JsonObject> | undefined): Language | undefined {
  const sandbox = json?.value['sandbox']
  const language = isObject(sandbox) ? sandbox['language'] : undefined
  return language === 'python' || language === 'typescript' ? language : undefined
}

async function interpreterIsThere(
  root: string,
  code: Code,
  { path }: BundleFile,
  { handlers, issues }: Reading,
): Promise<boolean> {
  const found = await handlers.interpreter(root, code)
  if (!found.ok)
    issues.error(found.error.code, found.error.message, {
      file: path,
      line: 1,
      fix: 'install python3, or write the handler in TypeScript',
    })
  return found.ok
}

/**
 * The tool.json, what the code says, or both. Code is run for it only where it has something to
 * say.
 */
async function definitionOf(
  candidate: Candidate,
  json: JsonFile<JsonObject> | undefined,
  code: Code,
  digest: string,
  file: BundleFile,
  reading: Reading,
): Promise<JsonFile<JsonObject> | undefined> {
  const { root = '', definitions, handlers, issues, signal } = reading
  const refuse = (message: string, place: Place): undefined =>
    void issues.error('BAD_REPO', message, place)
  if (!definitions.has(digest)) {
    const sources = [...candidate.files.filter(({ path }) => path !== file.path), file].filter(
      ({ path }) => (code.language === 'python' ? /\.py$/ : /\.m?ts$/).test(path),
    )
    const problem =
      definitions.problem(digest) ??
      (
        await syntaxProblems(
          root,
          sources.map(({ path }) => path),
          code.language,
          handlers,
        )
      )[0]
    if (problem) definitions.setProblem(digest, problem)
    if (problem)
      return refuse(problem.message, {
        file: problem.file,
        line: problem.line,
        fix:
          code.language === 'python'
            ? 'correct the Python'
            : 'correct the TypeScript; what has to be compiled, such as an enum, is not supported',
      })
  }
  const speaks =
    code.language === 'typescript' &&
    (!json ||
      [...candidate.files, ...reading.shared].some(({ text }) =>
        text.includes('defineToolHandler'),
      ))
  if (!speaks) {
    definitions.set(digest, undefined)
    return (
      json ??
      refuse('a Python handler needs a tool.json beside it', {
        file: file.path,
        line: 1,
        fix: 'write its description and parameters into tool.json',
      })
    )
  }
  if (!definitions.has(digest)) {
    const said = await definitionIn(root, code, handlers, signal)
    if (!said.ok) {
      const { message, line } = said.error
      const at =
        candidate.files.find(
          ({ path }) => said.error.file !== undefined && path.endsWith(`/${said.error.file}`),
        ) ?? file
      return refuse(`its handler cannot be loaded: ${message}`, {
        file: at.path,
        line: line ?? 1,
        fix: 'correct the handler',
      })
    }
    definitions.set(digest, said.value)
  }
  const said = definitions.get(digest)
  if (!said)
    return (
      json ??
      refuse('nothing says what this tool is for', {
        file: file.path,
        line: 1,
        fix: 'export what `defineToolHandler({ description, handler })` gives, or write a tool.json beside it',
      })
    )
  const own = codeDefinition(file, said)
  return json ? joinedDefinition(json, own) : own
}

/** What tools of all kinds have in common; a name or a schema that cannot be used is told. */
function commonOf(
  fields: Fields,
  json: JsonFile<JsonObject>,
  given: string,
  { issues }: Reading,
): Omit<CustomTool, 'kind' | 'readOnly' | 'digest' | 'steps'> | undefined {
  const {
    name = given,
    description,
    timeout,
    keyed,
    uses,
    internal,
    runningLabel,
    completedLabel,
    responseShaping,
    version,
  } = fields
  const resultPersistence = fields.resultPersistence ?? fields.result_persistence
  if (!toolName.safeParse(name).success) {
    issues.error('BAD_REPO', `"${name}" is no tool name`, {
      file: json.file,
      line: 1,
      fix: 'rename the folder or file to small letters, digits and _, or give it a `name`',
    })
    return undefined
  }
  const parameters = parametersOf(fields.parameters)
  const check = parameters.ok ? checkOf(parameters.value) : parameters
  if (!parameters.ok || !check.ok) {
    issues.error('TOOL_SCHEMA', `\`parameters\` cannot be used: ${check.ok ? '' : check.error}`, {
      file: json.file,
      line: json.lineOf(['parameters']),
      fix: 'write a JSON Schema of an object: { "type": "object", "properties": { … } }',
    })
    return undefined
  }
  if (fields.taint) {
    issues.warn(
      'TAINT_IGNORED',
      `"${name}" also runs without approval when an untrusted text may have caused the call`,
      {
        file: json.file,
        line: json.lineOf(['taint']),
        fix: 'keep it where that does no harm; else remove `taint`',
      },
    )
  }
  return {
    name,
    description,
    parameters: parameters.value,
    timeout,
    keyed,
    ...usesOf(uses),
    internal,
    file: json.file,
    private: fields.private,
    ...(fields.taint && { taint: fields.taint }),
    ...(resultPersistence !== undefined && { resultPersistence }),
    ...(version !== undefined && { version }),
    ...tierOf(fields.confirm),
    ...(runningLabel !== undefined && { runningLabel }),
    ...(completedLabel !== undefined && { completedLabel }),
    ...(responseShaping && { shaping: responseShaping }),
  }
}

/** A plain list names hidden tools in addition to all others; an object names all there are. */
const usesOf = (uses: Fields['uses']): Pick<CustomTool, 'uses' | 'subagents' | 'closed'> =>
  Array.isArray(uses)
    ? { uses, subagents: [] }
    : { uses: uses.tools, subagents: uses.subagents, closed: true }

function tellVariables(
  { env }: Fields,
  json: JsonFile<JsonObject>,
  { secrets, issues, refer }: Reading,
): void {
  for (const [index, name] of env.entries()) {
    const line = json.lineOf(['env', index])
    const set = secrets.resolve(`env:${name}`, json.file).ok
    refer({ name, set, where: `${json.file}:${line}` })
    if (!set)
      issues.warn('ENV_NOT_SET', `the variable ${name} is not set; for this tool it is empty`, {
        file: json.file,
        line,
        fix: `set ${name} in the environment or in .env`,
      })
  }
}
