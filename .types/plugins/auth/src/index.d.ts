/**
 * Says who a request is from: by API keys, and by the tokens of issuers.
 *
 * @example
 * use(auth, { jwt: { issuer: 'https://id.example.com', audience: 'amodal', jwksUrl: 'https://id.example.com/jwks.json' } })
 */
export declare const auth: import("@amodal/sdk").Plugin;
export default auth;
