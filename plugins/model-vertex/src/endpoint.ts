import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import { type AddressParts, GEMINI_RULES, IMAGE_TYPES, type ModelEndpoint } from '@amodal/sdk/model'
import { isAccount, noAccount, serviceAccountOf } from './service-account.ts'

const API_KEY = 'GOOGLE_VERTEX_API_KEY'
const ACCOUNT = 'GOOGLE_APPLICATION_CREDENTIALS_JSON'
/** Each with the name that Google's own tools have for it. */
const PROJECT = ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_CLOUD_PROJECT'] as const
const LOCATION = ['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION'] as const

const ANYWHERE = 'aiplatform.googleapis.com'

/** Source: the API reference of Vertex AI, "Generate content with the Gemini API". */
export const VERTEX: ModelEndpoint = {
  name: 'vertex',
  baseUrl: addressOf,
  envVar: API_KEY,
  aliases: [ACCOUNT],
  variables: [...PROJECT, ...LOCATION],
  rank: 51,
  rules: { ...GEMINI_RULES, provider: 'vertex' },
  takes: [...IMAGE_TYPES, 'image/heic', 'application/pdf', 'audio/*', 'video/*'],
}

/** An account is of a project, and its requests are answered in a location; an API key says both. */
function addressOf({ variables, apiKey = '' }: AddressParts): Result<string, Failure> {
  if (!isAccount(apiKey)) return ok(`https://${ANYWHERE}/v1/publishers/google`)
  const account = serviceAccountOf(apiKey)
  if (!account.ok) return err(failure('NO_MODEL', noAccount(account.error)))
  const project = firstOf(variables, PROJECT) ?? account.value.project_id
  const location = firstOf(variables, LOCATION)
  if (project === undefined) return err(missing(PROJECT[0], 'the id of the project'))
  if (location === undefined)
    return err(missing(LOCATION[0], 'where requests are answered, such as europe-west4 or global'))
  if (!/^[a-z0-9.:-]+$/.test(project) || !/^[a-z0-9-]+$/.test(location))
    return err(
      failure(
        'NO_MODEL',
        `"${project}" in "${location}" is no project in a location of Vertex AI: check ${PROJECT[0]} and ${LOCATION[0]}`,
      ),
    )
  return ok(
    `https://${hostOf(location)}/v1/projects/${project}/locations/${location}/publishers/google`,
  )
}

function hostOf(location: string): string {
  if (location === 'global') return ANYWHERE
  if (location === 'us' || location === 'eu') return `aiplatform.${location}.rep.googleapis.com`
  return `${location}-${ANYWHERE}`
}

const firstOf = (
  variables: AddressParts['variables'],
  names: readonly string[],
): string | undefined => names.map((name) => variables[name]).find((value) => value !== undefined)

const missing = (variable: string, what: string): Failure =>
  failure(
    'ENV_NOT_SET',
    `${variable} is not set, and the address of the provider 'vertex' needs it: set it to ${what}, or write the address as \`baseUrl\` beside the model`,
    { details: { variable } },
  )
