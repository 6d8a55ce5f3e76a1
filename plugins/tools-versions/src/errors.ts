import { defineError } from '@amodal/sdk'

export const OrgToolNotFound = defineError({
  code: 'ORG_TOOL_NOT_FOUND',
  about: 'The organization has no tool with this id.',
  status: 404,
  fix: 'list the tools with `GET /v1/ORG/tool`',
})
export const OrgToolExists = defineError({
  code: 'ORG_TOOL_EXISTS',
  about: 'The organization has another tool with this name.',
  status: 409,
  fix: 'choose another name, or update the tool that has it',
})
export const OrgToolDeprecated = defineError({
  code: 'ORG_TOOL_DEPRECATED',
  about: 'A tool was deprecated, so that it gets no new versions and no new invocations.',
  status: 410,
  fix: 'use another tool',
})
export const VersionNotFound = defineError({
  code: 'VERSION_NOT_FOUND',
  about: 'A tool has no version with this number, or none that fits this constraint.',
  status: 404,
  fix: 'list the versions with `GET /v1/ORG/tool/ID/version`',
})
export const VersionDeprecated = defineError({
  code: 'VERSION_DEPRECATED',
  about: 'A version of a tool was deprecated, so that it gets no new invocations.',
  status: 410,
  fix: 'invoke a version that is not deprecated',
})
export const OperationInProgress = defineError({
  code: 'OPERATION_IN_PROGRESS',
  about: 'Another request is publishing or deprecating versions of the same tool.',
  status: 409,
  fix: 'wait for that request to end, then try again',
})
export const VariableNotFound = defineError({
  code: 'VARIABLE_NOT_FOUND',
  about: 'A tool has no environment variable with this name.',
  status: 404,
  fix: 'list the variables with `GET /v1/ORG/tool/ID/envvar`',
})
export const VariableInUse = defineError({
  code: 'VARIABLE_IN_USE',
  about: 'An environment variable is required by a version that is not deprecated.',
  status: 409,
  fix: 'deprecate the versions that the message names, or set another value',
})
export const VariableMissing = defineError({
  code: 'VARIABLE_MISSING',
  about: 'A tool lacks environment variables that its code requires.',
  status: 409,
  fix: 'set them with `POST /v1/ORG/tool/ID/envvar`',
})
export const BumpTooSmall = defineError({
  code: 'BUMP_TOO_SMALL',
  about: 'The schemas of a version changed more than the requested part of its number says.',
  status: 409,
  fix: 'publish with the bump that the message names, or none',
})
export const ToolProjectInvalid = defineError({
  code: 'TOOL_PROJECT_INVALID',
  about: 'The folder of a tool has no valid `tool.json`, or its code does not fit it.',
  status: 422,
  fix: 'correct what the message names, commit and push',
})
export const ToolCheckFailed = defineError({
  code: 'TOOL_CHECK_FAILED',
  about: 'A check of a `tool.json` did not pass, so that nothing was published.',
  status: 422,
  fix: 'correct the code or the check, commit and push',
})
export const ToolOutputInvalid = defineError({
  code: 'TOOL_OUTPUT_INVALID',
  about: 'A tool returned an output that does not fit its schema.',
  status: 422,
  fix: 'correct the code of the tool, and publish a new version',
})
export const ToolOutputTooLarge = defineError({
  code: 'TOOL_OUTPUT_TOO_LARGE',
  about: 'A tool returned more characters than an output may have.',
  status: 422,
  fix: 'let the tool return a summary, a page or a reference',
})
export const ScaffoldRefused = defineError({
  code: 'SCAFFOLD_REFUSED',
  about: 'A folder is no clone of the repository of tools, or a file of it is in the way.',
  status: 409,
  fix: 'correct what the message names, and repeat the command',
})

/** The kinds of errors of this plugin. */
export const toolVersionErrors = [
  OrgToolNotFound,
  OrgToolExists,
  OrgToolDeprecated,
  VersionNotFound,
  VersionDeprecated,
  OperationInProgress,
  VariableNotFound,
  VariableInUse,
  VariableMissing,
  BumpTooSmall,
  ToolProjectInvalid,
  ToolCheckFailed,
  ToolOutputInvalid,
  ToolOutputTooLarge,
  ScaffoldRefused,
]
