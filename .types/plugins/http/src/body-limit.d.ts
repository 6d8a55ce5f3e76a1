import { type Failure, type Result } from '@amodal/sdk';
/**
 * Limits the body of a request to `limit` bytes, as it is sent and as it is decoded. A declared length is compared
 * (the parser ensures that it is true); an undeclared one and a decoded body are counted while they are read, so
 * that a small body which decodes to a huge one is stopped at the limit.
 *
 * @returns the request, its body decoded; `TOO_LARGE`, or `UNSUPPORTED_MEDIA` for an encoding that is not decoded
 */
export declare function limitBody(request: Request, limit: number): Result<Request, Failure>;
