import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { topicMatcher } from "../../../scripts-src/session/past/earlier-decisions.ts";

const same: [one: string, other: string][] = [
  ["Which token library?", "Which token library?"],
  ["Which token library should we use?", "Choose the token library"],
  ["Cache invalidation", "cache invalidation"],
  ["Cache invalidation", "How do we invalidate the caches of the gateway?"],
  ["How should we cache API responses?", "API response caching strategy"],
  ["Retry policy for webhooks", "What is our webhook retry policy?"],
  ["Webhook retries: which policy?", "policies for retrying webhooks"],
  ["Rate limiting of the public API", "public API: rate limits"],
  ["Database for the billing service", "Which database does the billing service need?"],
  ["Should we log in JSON or in plain text?", "plain text or JSON logging"],
  ["Plan the migration to Postgres 16", "Migrate to Postgres 16: planning"],
  ["OAuth2 or API keys for partners", "Partner access: OAuth2 vs API keys?"],
  ["Deployment of the search index", "How do we deploy the search indexes?"],
  ["Kubernetes ingress controller", "Ingress controller for Kubernetes: nginx or traefik?"],
  ["Monorepo", "monorepo?"],
  ["Crème brûlée renderer", "creme brulee renderer"],
  ["Quale cache per le sessioni?", "cache della sessione"],
  ["Welche Datenbank für die Abrechnung?", "Datenbanken der Abrechnung"],
  ["Какую базу данных выбрать для биллинга?", "База данных биллинга"],
  ["Кэширование ответов сервера", "Как нам кэшировать ответ сервера"],
  ["Стратегия повторных запросов", "повторные запросы: стратегия"],
  ["缓存失效策略", "缓存失效策略怎么选"],
  ["データベースの選択", "データベースを選択する"],
  ["결제 서비스 데이터베이스", "결제 서비스의 데이터베이스를 선택"],
  ["SHA256 checksums of uploads", "checksum uploads with sha256"],
  ["Code review", "code review"],
  ["Configuration of the linter", "How do we configure linters?"],
  ["Where are the translated texts stored?", "Storing translations of texts"],
  ["Логирование платежей", "Как логировать платежи?"],
];

const different: [one: string, other: string][] = [
  ["Which token library?", "Which database?"],
  ["Which token library should we use?", "Which queue library should we use?"],
  ["Cache invalidation", "Cache eviction"],
  ["Database for the billing service", "Queue for the billing service"],
  ["Migrate to Postgres 14", "Migrate to Postgres 16"],
  ["Review of pull request 123", "Review of pull request 124"],
  ["Fix the login bug", "Fix the search bug"],
  ["How do we test the parser?", "How do we test the scheduler?"],
  ["Add a new page", "Add a new command"],
  ["server errors", "service terror"],
  ["Contract of the API", "Contrast of the theme"],
  ["State of the art", "Status page"],
  ["Use TypeScript", "Use Rust"],
  ["", ""],
  ["???", "Which database?"],
  ["the of and", "of the and"],
  ["Should we use Redis or Memcached?", "Should we use Kafka or RabbitMQ?"],
  ["Logging", "Login"],
  ["auth", "author pages"],
  [
    "Tokens",
    "A very long list of things: tokens, queues, caches, indexes, workers, metrics, dashboards, alerts",
  ],
  [
    "Cache invalidation",
    "Which of parser, lexer, cache, renderer, invalidation, scheduler, runtime, garbage collector first?",
  ],
  ["Какую базу данных выбрать?", "Какую очередь сообщений выбрать?"],
  ["Сервер сборки", "Сервис оплаты"],
  ["缓存失效策略", "数据库迁移方案"],
  ["http2 push", "http3 push"],
  ["Which server for the billing?", "Which service for the billing?"],
  ["Transfer of funds", "Transaction of funds"],
  ["Where does the cart live?", "Where does the card live?"],
];

describe("two topics are the same", () => {
  for (const [one, other] of same) {
    it(`${one} | ${other}`, () => {
      assert.equal(topicMatcher(one)(other), true);
      assert.equal(topicMatcher(other)(one), true);
    });
  }
});

describe("two topics are not the same", () => {
  for (const [one, other] of different) {
    it(`${one} | ${other}`, () => {
      assert.equal(topicMatcher(one)(other), false);
      assert.equal(topicMatcher(other)(one), false);
    });
  }
});
