/** The errors of the providers' APIs, as documented. */

export type Api = 'anthropic' | 'gemini' | 'openai'

/** What the API sends instead of an answer. */
export type Failure = 'too-long' | 'not-logged-in' | 'rate-limit' | 'overloaded' | 'other'

/** Status and body of each error, as the provider has it. */
export const ERRORS: Record<Failure, Record<Api, [status: number, body: object]>> = {
  'too-long': {
    anthropic: [
      400,
      {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 250000 tokens > 200000 maximum' },
      },
    ],
    gemini: [
      400,
      {
        error: {
          code: 400,
          message: 'The input token count exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    openai: [
      400,
      {
        error: {
          message: 'Your input exceeds the context window of this model.',
          type: 'invalid_request_error',
          code: 'context_length_exceeded',
        },
      },
    ],
  },
  'not-logged-in': {
    anthropic: [401, { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }],
    gemini: [
      400,
      { error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } },
    ],
    openai: [
      401,
      { error: { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' } },
    ],
  },
  'rate-limit': {
    anthropic: [
      429,
      { type: 'error', error: { type: 'rate_limit_error', message: 'This request would exceed your rate limit.' } },
    ],
    gemini: [429, { error: { code: 429, message: 'You exceeded your current quota.', status: 'RESOURCE_EXHAUSTED' } }],
    openai: [
      429,
      { error: { message: 'Rate limit reached for requests.', type: 'requests', code: 'rate_limit_exceeded' } },
    ],
  },
  overloaded: {
    anthropic: [529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    gemini: [503, { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }],
    openai: [529, { error: { message: 'The engine is busy now.', type: 'server_error', code: null } }],
  },
  other: {
    anthropic: [
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'messages: something is wrong' } },
    ],
    gemini: [400, { error: { code: 400, message: 'Something is wrong.', status: 'INVALID_ARGUMENT' } }],
    openai: [400, { error: { message: 'Something is wrong.', type: 'invalid_request_error', code: null } }],
  },
}
