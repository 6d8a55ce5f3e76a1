/** The response with security headers, where its handler did not set them itself. */
export declare function secured(response: Response): Response;
