import { APICallError } from '@ai-sdk/provider';
/**
 * An answer that is no reply, with its status, its headers (`retry-after`) and what the endpoint
 * says of it. The prompt is left out, since errors are logged.
 */
export declare function httpError(response: Response, url: string, mask: (text: string) => string): Promise<APICallError>;
