import type { RouteDocs } from '@amodal/plugin-http/tokens'
import {
  CreateTool,
  InvokeVersion,
  ListInvocations,
  ListTools,
  ListVersions,
  PublishVersion,
  SearchInvocations,
  SetVariable,
  TestTool,
  UpdateTool,
} from './requests.ts'
import {
  EnvVar,
  EnvVarList,
  InvocationList,
  Results,
  TestResult,
  Tool,
  ToolList,
  Version,
  VersionList,
} from './responses.ts'

const TOOL = ['ORG_TOOL_NOT_FOUND'] as const
const CODE = [
  ...TOOL,
  'ORG_TOOL_DEPRECATED',
  'TOOL_PROJECT_INVALID',
  'TOOL_CHECK_FAILED',
  'VARIABLE_MISSING',
] as const

/** What `GET /openapi.json` says of these routes. */
export const ROUTE_DOCS: RouteDocs = {
  'POST /v1/:org/tool': {
    summary: 'creates a tool',
    body: CreateTool,
    responses: { 201: { about: 'It was created.', body: Tool } },
    errors: ['ORG_TOOL_EXISTS'],
  },
  'GET /v1/:org/tool': {
    summary: 'lists tools',
    query: ListTools,
    responses: { 200: { about: 'A page of them.', body: ToolList } },
  },
  'GET /v1/:org/tool/amodal_tool_scaffold.tar.gz': {
    summary: 'downloads what a new tool begins with, in TypeScript and in Python',
    responses: { 200: { about: 'An archive of files.', types: ['application/gzip'] } },
  },
  'POST /v1/:org/tool/:tool_id': {
    summary: 'changes name, description or tags of a tool',
    body: UpdateTool,
    responses: { 200: { about: 'The tool.', body: Tool } },
    errors: [...TOOL, 'ORG_TOOL_EXISTS'],
  },
  'DELETE /v1/:org/tool/:tool_id': {
    summary: 'deprecates a tool with all its versions',
    responses: { 204: { about: 'It is deprecated.' } },
    errors: [...TOOL, 'OPERATION_IN_PROGRESS'],
  },
  'GET /v1/:org/tool/:tool_id/envvar': {
    summary: 'lists the environment variables of a tool, without values of secrets',
    responses: { 200: { about: 'By name.', body: EnvVarList } },
    errors: TOOL,
  },
  'POST /v1/:org/tool/:tool_id/envvar': {
    summary: 'sets an environment variable of a tool',
    body: SetVariable,
    responses: { 200: { about: 'It is set.', body: EnvVar } },
    errors: TOOL,
  },
  'DELETE /v1/:org/tool/:tool_id/envvar/:name': {
    summary: 'removes an environment variable that no version requires',
    responses: { 204: { about: 'It was removed.' } },
    errors: [...TOOL, 'VARIABLE_NOT_FOUND', 'VARIABLE_IN_USE'],
  },
  'POST /v1/:org/tool/test': {
    summary: 'runs the checks of a tool on a branch, and the tool with inputs',
    body: TestTool,
    responses: { 200: { about: 'All checks passed.', body: TestResult } },
    errors: CODE,
  },
  'POST /v1/:org/tool/:tool_id/version': {
    summary: 'publishes the head of a branch as the next version',
    body: PublishVersion,
    responses: { 201: { about: 'The version.', body: Version } },
    errors: [...CODE, 'BUMP_TOO_SMALL', 'OPERATION_IN_PROGRESS'],
  },
  'GET /v1/:org/tool/:tool_id/version': {
    summary: 'lists versions of a tool, the latest first',
    query: ListVersions,
    responses: { 200: { about: 'A page of them.', body: VersionList } },
    errors: TOOL,
  },
  'DELETE /v1/:org/tool/:tool_id/version/:versions': {
    summary: 'deprecates the versions that fit a constraint',
    responses: { 204: { about: 'They are deprecated.' } },
    errors: [...TOOL, 'VERSION_NOT_FOUND', 'OPERATION_IN_PROGRESS'],
  },
  'POST /v1/:org/tool/:tool_id/version/:version/invoke': {
    summary: 'runs a version with up to ten inputs at the same time',
    body: InvokeVersion,
    responses: { 200: { about: 'The result of each input, in their order.', body: Results } },
    errors: [...TOOL, 'ORG_TOOL_DEPRECATED', 'VERSION_NOT_FOUND', 'VERSION_DEPRECATED'],
  },
  'GET /v1/:org/tool/invocation': {
    summary: 'lists invocations, the latest first',
    query: ListInvocations,
    responses: { 200: { about: 'A page of them.', body: InvocationList } },
  },
  'GET /v1/:org/tool/invocation/search': {
    summary: 'finds invocations by words of outputs, error messages and stack traces',
    query: SearchInvocations,
    responses: { 200: { about: 'A page of them, the latest first.', body: InvocationList } },
  },
}
