import { err, failure, ok, type Failure, type Result } from '@amodal/sdk'
import {
  type AddressParts,
  type EndpointVariables,
  IMAGE_TYPES,
  type ModelEndpoint,
} from '@amodal/sdk/model'

const ACCESS_KEY = 'AWS_ACCESS_KEY_ID'
const SECRET_KEY = 'AWS_SECRET_ACCESS_KEY'
const SESSION_TOKEN = 'AWS_SESSION_TOKEN'
const REGION = ['AWS_REGION', 'AWS_DEFAULT_REGION'] as const

/** Source: the API reference of Amazon Bedrock, "ConverseStream", and its "API keys". */
export const BEDROCK: ModelEndpoint = {
  name: 'bedrock',
  baseUrl: addressOf,
  envVar: 'AWS_BEARER_TOKEN_BEDROCK',
  signedWith: [ACCESS_KEY, SECRET_KEY],
  variables: [SESSION_TOKEN, ...REGION],
  rank: 52,
  lacks: ['seed'],
  takes: [...IMAGE_TYPES, 'application/pdf'],
  carries: ['image/*', 'application/pdf'],
}

/** What a request is signed with. */
export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Of temporary credentials. */
  readonly sessionToken: string | undefined
  readonly region: string
}

function addressOf({ variables }: AddressParts): Result<string, Failure> {
  const region = regionIn(variables)
  if (region === undefined)
    return err(
      failure(
        'ENV_NOT_SET',
        `${REGION[0]} is not set, and the address of the provider 'bedrock' needs it: set it to a region of AWS, such as us-east-1, or write the address as \`baseUrl\` beside the model`,
        { details: { variable: REGION[0] } },
      ),
    )
  if (/^[a-z0-9-]+$/.test(region)) return ok(addressIn(region))
  return err(
    failure('NO_MODEL', `${REGION[0]} is no region of AWS: "${region.slice(0, 40)}"`, {
      details: { variable: REGION[0] },
    }),
  )
}

/** China has a domain of its own. Source: "Partitions" in the documentation of AWS. */
const addressIn = (region: string): string =>
  `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

/**
 * What requests to an address are signed with; the region is the one that the address names.
 *
 * @returns `undefined` where no keys are set
 */
export function credentialsOf(
  variables: EndpointVariables,
  baseUrl: string,
): AwsCredentials | undefined {
  const { [ACCESS_KEY]: accessKeyId, [SECRET_KEY]: secretAccessKey } = variables
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  const { hostname } = new URL(baseUrl)
  const [, named] = /^bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\./.exec(hostname) ?? []
  return {
    accessKeyId,
    secretAccessKey,
    sessionToken: variables[SESSION_TOKEN],
    region: named ?? regionIn(variables) ?? 'us-east-1',
  }
}

const regionIn = (variables: EndpointVariables): string | undefined =>
  REGION.map((name) => variables[name]).find((value) => value !== undefined)
