/** Whether a field of an answer holds a secret, by its name: `api_key`, `clientSecret`; not `token_type`, `next_page_token`. */
export declare function isSecretField(name: string): boolean;
