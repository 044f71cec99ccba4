/**
 * The types of promptmason, by subject. Optional properties of inputs can also be
 * `undefined` or `null`, which count as not given. Arrays that are passed in are only read.
 */

// Prompts: docs/prompts.md
export { buildPrompt } from './dist/prompts/build-prompt.js'
export type {
  LayoutPromptInput,
  MessagePromptInput,
  PromptInput,
  PromptOutput,
  RequestInput,
} from './dist/prompts/build-prompt.js'

// Assemblers: docs/prompts.md
export {
  ClaudeContextAssembler,
  CodexContextAssembler,
  GeminiContextAssembler,
  LayoutAssembler,
  PlainTextAssembler,
} from './dist/prompts/assemblers.js'
export type { IContextAssembler } from './dist/prompts/assemblers.js'
export type { AssemblerInput } from './dist/prompts/assembler-input.js'
export type { AssemblerOptions } from './dist/prompts/assembler-options.js'

// Forms of a prompt: docs/prompts.md
export type { BufferForm, IntoForm, PromptForm, RequestForm, StringForm } from './dist/prompts/form.js'
export type {
  AnyAssemblerOutput,
  AssemblerBufferOutput,
  AssemblerBufferReportOutput,
  AssemblerIntoOutput,
  AssemblerIntoReportOutput,
  AssemblerOutput,
  AssemblerReportOutput,
  BufferOutput,
  IntoOutput,
  Reported,
  RequestOutput,
  StringOutput,
} from './dist/prompts/results.js'
export type {
  AiSdkCacheMark,
  AiSdkRequest,
  AiSdkText,
  AnthropicCacheControl,
  AnthropicRequest,
  AnthropicText,
  AnthropicToolResult,
  AnthropicToolUse,
  GeminiPart,
  GeminiRequest,
  ModelApi,
  ModelRequests,
  OpenAiChatRequest,
  OpenAiRequest,
} from './dist/prompts/model-requests.js'

// Reports: docs/prompts.md
export type {
  Account,
  AssemblerReport,
  DroppedMessage,
  Finding,
  LeftOut,
  LeftOutReason,
  SectionReport,
} from './dist/prompts/report.js'

// Conversations in one call: docs/open-conversation.md
export { openConversation } from './dist/conversation/conversation.js'
export type { Conversation } from './dist/conversation/conversation.js'
export type { ConversationOptions, SendOptions } from './dist/conversation/options.js'
export type {
  AgentMember,
  FunctionMember,
  HumanMember,
  Member,
  MemberChanges,
  RequestMember,
} from './dist/conversation/member.js'
export type { RequestRunInput, RunAnswer, RunInput } from './dist/conversation/ask-function.js'
export type { SummariseInput } from './dist/conversation/summaries.js'
export type { Reply } from './dist/conversation/replies.js'
export type { MessageUpdate, SayOptions } from './dist/conversation/messages.js'
export type { AdoptOptions } from './dist/conversation/adoption.js'
export type { Turn, TurnResult, TurnWarning } from './dist/conversation/outcome.js'
export type { TurnTelemetry } from './dist/conversation/telemetry.js'
export type { ConversationEvent, TurnEvent } from './dist/conversation/events.js'
export type { StreamEvent } from './dist/conversation/stream.js'

// Stores: docs/stores.md
export type {
  ConversationStore,
  JsonValue,
  StoredConversation,
  StorePosition,
} from './dist/conversation/stores/contract.js'
export { memoryStore } from './dist/conversation/stores/memory.js'
export { fileStore } from './dist/conversation/stores/file.js'
export type { IoRedisClient, NodeRedisClient, RedisStoreOptions } from './dist/conversation/stores/redis.js'
export { redisStore } from './dist/conversation/stores/redis.js'
export type { StoreCheck, StoreCheckOptions } from './dist/conversation/stores/suite.js'
export { storeChecks } from './dist/conversation/stores/suite.js'

// Conversations that you manage: docs/conversations.md
export { ContextManager } from './dist/manager/context-manager.js'
export type { IContextProvider } from './dist/manager/context-manager.js'
export { DEFAULT_CONTEXT_WINDOW_SIZE, DEFAULT_MAX_BYTES, MAX_TEAM_TASK_BYTES } from './dist/manager/options.js'
export type {
  AgentContextOptions,
  AssembledEvent,
  ContextManagerOptions,
  RouteContextOptions,
  RoutingItem,
} from './dist/manager/options.js'
export { SilentLogger } from './dist/manager/logger.js'
export type { ILogger } from './dist/manager/logger.js'
export type { AgentContext, GivenInstruction, RouteContextResult } from './dist/manager/turns.js'

// Messages: docs/conversations.md
export type {
  ConversationMessage,
  MemberSpeaker,
  MessageAddressee,
  MessageChanges,
  MessageRouting,
  MessageSpeaker,
  NewConversationMessage,
  NewMessage,
  PromptContextMessage,
  RoleSpeaker,
  ShownContextMessage,
} from './dist/messages/messages.js'
export type {
  FilePart,
  MessagePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from './dist/messages/parts.js'

// Summaries: docs/sessions.md
export type { ConversationSummary, NewSummary } from './dist/manager/options.js'
export type { Overflow } from './dist/manager/turns.js'

// Snapshots: docs/conversations.md
export type {
  AudienceSnapshot,
  ContextSnapshot,
  ContextSnapshotJson,
  ConversationMessageJson,
  ExportSnapshotOptions,
  ImportSnapshotOptions,
  JsonForm,
  SessionSnapshot,
  SummarySnapshot,
} from './dist/manager/snapshots.js'

// Delivery: docs/delivery.md
export { planDelivery } from './dist/delivery/plan-delivery.js'
export type { DeliveryOptions } from './dist/delivery/plan-delivery.js'
export type { AcpProfile, CliProfile, DeliveryProfile } from './dist/delivery/profiles/custom.js'
export type { SizeUnit } from './dist/delivery/measure.js'
export type { AcpSettings, DeliveryPlan } from './dist/delivery/plan.js'
export type { DeliveryWarning } from './dist/delivery/warnings.js'
export { writeDelivery } from './dist/delivery/write.js'
export type { FileHooks, WrittenDelivery } from './dist/delivery/write.js'
export { deliver } from './dist/delivery/deliver.js'
export type { DeliverOptions } from './dist/delivery/deliver.js'
export type { SpawnHook } from './dist/delivery/run-elsewhere.js'
export { textOf } from './dist/delivery/text-of.js'
export { cliVersion } from './dist/delivery/cli-version.js'
export type { CliVersionOptions } from './dist/delivery/cli-version.js'

// Events of a delivery: docs/delivery.md
export type {
  CliUsage,
  DeliveryEvent,
  NoticeEvent,
  PermissionEvent,
  PlanEvent,
  PlanStep,
  ReasoningEvent,
  RetryEvent,
  SessionEvent,
  TextEvent,
  ToolCallEvent,
  ToolResultEvent,
  UsageEvent,
} from './dist/delivery/events.js'

// Results of a delivery: docs/delivery.md
export { parseOutput } from './dist/delivery/read-output.js'
export type { CliOutput } from './dist/delivery/read-output.js'
export type {
  CliError,
  Delivered,
  DeliveryResult,
  Denial,
  FinishReason,
  ParsedOutput,
} from './dist/delivery/events.js'

// Transcripts: docs/handoff.md
export type { ListTranscriptsOptions, TranscriptAgent, TranscriptOptions } from './dist/transcripts/options.js'
export type {
  SkippedEntries,
  Transcript,
  TranscriptBranch,
  TranscriptFile,
  TranscriptMessage,
  TranscriptSummary,
} from './dist/transcripts/transcripts.js'
export { listTranscripts, readTranscript } from './dist/transcripts/transcripts.js'

// Handoff: docs/handoff.md
export type { HandoffOptions } from './dist/handoff/handoff.js'
export type { HandoffSource } from './dist/handoff/source.js'
export { buildHandoff } from './dist/handoff/handoff.js'

// Lists for model APIs: docs/arrays.md
export type {
  ContextBudgetMiddleware,
  ContextBudgetOptions,
  DroppedFromList,
  ListApi,
  ListBudget,
  TrimMessagesOptions,
  TrimReport,
  TrimmedMessages,
} from './dist/lists/trim-messages.js'
export { contextBudget, trimMessages } from './dist/lists/trim-messages.js'

// Tokens: docs/tokens.md
export { countTokens } from './dist/tokens/token-functions.js'
export type { TokenEstimate, TokenScript, Tokenizer } from './dist/tokens/tokenizer.js'
export { calibrate } from './dist/tokens/calibrate.js'
export type { LearnedEstimate, LearnedTurn, TokenUsage } from './dist/tokens/calibrate.js'

// Agents: docs/layouts.md
export type { AgentName, AgentType, PromptPart } from './dist/prompts/agents.js'

// Layouts: docs/layouts.md
export type {
  FenceDefinition,
  LayoutDefinition,
  LayoutSection,
  MessageLineDefinition,
  QuoteLineDefinition,
  SenderLineDefinition,
  ToolLineDefinition,
} from './dist/prompts/layout.js'

// System prompts: docs/system-prompts.md
export type {
  EnvironmentOptions,
  ProviderOptions,
  SystemPromptAgent,
  SystemPromptInput,
  SystemPromptReport,
  SystemPromptTransform,
} from './dist/system-prompt/system-prompt.js'
export { SystemPrompt } from './dist/system-prompt/system-prompt.js'
export type {
  SegmentOptions,
  SystemHintAttributes,
  ToolNote,
  TruncateOptions,
} from './dist/system-prompt/segments.js'
export {
  assembleSystemPrompt,
  compressionHint,
  systemHint,
  truncateToolOutput,
} from './dist/system-prompt/segments.js'

// Instruction files: docs/instructions.md
export type {
  InstructionConfig,
  InstructionFetch,
  InstructionOptions,
  InstructionPreset,
  InstructionResponse,
  ResolveOptions,
} from './dist/instructions/options.js'
export type { LoadedInstruction } from './dist/instructions/load-instructions.js'
export { InstructionPrompt, findUp, findUpAll } from './dist/instructions/instruction-prompt.js'

// The page: docs/explain.md
export type { RenderOptions, ReportedPrompt } from './dist/explain/render.js'
export { renderReport } from './dist/explain/render.js'

// Errors: docs/errors.md
export { isPromptmasonError } from './dist/errors.js'
export type {
  BudgetExceededError,
  BusyError,
  ConflictError,
  DeliveryFailure,
  InternalError,
  InvalidArgTypeError,
  InvalidConfigError,
  InvalidSnapshotError,
  CliFailedError,
  NoAnswerError,
  NoTranscriptError,
  NothingToSendError,
  OutOfRangeError,
  PromptmasonError,
  PromptmasonErrorCode,
  TurnFailedError,
  UndeliverableError,
  UnknownMessageError,
  UnreadableFileError,
} from './dist/errors.js'
