/*0a79192a76712383*/(function(require,chunk,later){"use strict";const $0$=chunk("base"),B=$0$(113),g=$0$(0),z=$0$(85),U=$0$(109),j=$0$(21),R=$0$(31),ie=$0$(24),W=$0$(28),se=$0$(180),ae=$0$(118),H=$0$(101),ce=$0$(14),pe=$0$(115),de=$0$(122),me=$0$(107),O=$0$(56),ue=$0$(69),d=$0$(76),S=$0$(134),c=$0$(152),ve=$0$(212),u=$0$(92),w=$0$(75),$1$=chunk("shared"),k=$1$(3),te=$1$(66),T=$1$(79),{resolve:re,join:x}=require("node:path"),{isDeepStrictEqual:ne}=require("node:util"),$4$=chunk("session"),le=$4$(85),fe=$4$(75),N=$4$(57),V=$4$(100),ke=$4$(13),he=(...w)=>chunk("records")(6)(...w);var oe={adr:["Status","Context","Decision","Alternatives Considered","Consequences","Follow-ups"],"design-spec":["Problem","Goals","Non-goals","Proposed Design","Interfaces / Contracts","Failure Modes","Validation Plan","Open Questions"],"implementation-plan":["Scope","Phases","Tasks","Dependencies","Rollout / Migration","Tests","Risks","Exit Criteria"],"decision-memo":["Question","Recommendation","Options","Tradeoffs","Decision","Next Action"],"review-report":["Scope","Findings","Risks","Required Changes","Open Questions","Recommendation"],"test-plan":["Scope","Test Matrix","Fixtures","Automation","Manual Tests","Exit Criteria"],custom:[]},G=Object.keys(oe).sort();function L(e){return E(e)?oe[e]:void 0}function E(e){return Object.hasOwn(oe,e)}function kt({type:e,checklist:t},o){let r=e==="custom"?t:L(e)??[],n=Ot(o);return r.flatMap(i=>{let s=n.get(i);return s===void 0?[{section:i,gap:"missing"}]:s?[]:[{section:i,gap:"empty"}]})}function Ot(e){let t=new Map;for(let{heading:o,lines:r}of te(e).slice(1))t.has(o)||t.set(o,r.some(n=>n.trim()!==""));return t}var Me=[{flags:"--completion <gate>",text:"collaboration, repeat: what must hold at the end",many:!0},{flags:"--gate-check <check>",text:'collaboration, repeat, one a gate in their order: FILE:LINES, find "TEXT" PATH, a command, or ""',many:!0},{flags:"--primary-deliverable-type <type>",text:`collaboration, schema 2: ${G.join(", ")}`},{flags:"--primary-deliverable-file <path>",text:"schema 2: Markdown file in the deliverables' folder"},{flags:"--primary-deliverable-check <section>",text:"schema 2, type custom, repeat: a section that it must have",many:!0},{flags:"--deliverables-mode <mode>",text:"schema 2: internal or external (default: internal)"},{flags:"--deliverables-dir <dir>",text:"schema 2 (default: deliverables)"},{flags:"--repo-root <path>",text:"schema 2, external: the repository, relative to the folder"}];function St(e){let t=e.one("primary-deliverable-type"),o=e.one("primary-deliverable-file"),r=e.many("primary-deliverable-check");return{gates:e.many("completion"),gateChecks:e.many("gate-check"),primary:t===void 0?void 0:{type:t,file:o,checks:r},mode:e.one("deliverables-mode"),dir:e.one("deliverables-dir"),repoRoot:e.one("repo-root")}}function $t(e){return Me.flatMap(t=>e.has(B(t))?[`--${B(t)}`]:[])}var q=".first-seen.jsonl",ge=["proposal.md","decisions.md","readiness.md"],jt={file:q,documentsOf:Rt,lineOf:Dt,lastSeq:e=>Math.max(0,...Be(e).keys())};function Rt({event:e}){return["proposal_submitted","review_submitted","decision_accepted"].includes(e)?ge:[]}function Dt(e,t){let{seq:o,event:r}=e,n=Object.keys(t).length===0?{}:{docs:t};return`${JSON.stringify({seq:o,event:r,print:Ge(e),...n})}
`}function Be(e){let t=new Map;for(let o of e.split(`
`)){let r=Pt(o);r!==void 0&&!t.has(r.seq)&&t.set(r.seq,r)}return t}function Pt(e){let t;try{t=JSON.parse(e)}catch{return}if(!d(t))return;let{seq:o,event:r,print:n,docs:i}=t;if(typeof o!="number"||typeof r!="string"||typeof n!="string")return;let s=ge.flatMap(l=>{let f=d(i)?i[l]:void 0;return typeof f=="string"?[[l,f]]:[]});return{seq:o,event:r,print:n,docs:Object.fromEntries(s)}}function Ge(e){let t=Object.keys(e).filter(i=>i!=="prev").sort(),o=JSON.stringify(t.map(i=>[i,e[i]])),[r,n]=[3735928559,1103547991];for(let i=0;i<o.length;i+=1){let s=o.charCodeAt(i);r=Math.imul(r^s,2654435761),n=Math.imul(n^s,1597334677)}return r=Math.imul(r^r>>>16,2246822507)^Math.imul(n^n>>>13,3266489909),n=Math.imul(n^n>>>16,2246822507)^Math.imul(r^r>>>13,3266489909),(4294967296*(2097151&n)+(r>>>0)).toString(36)}var Ct={blocking:e=>`blocking readiness items must be cleared${e}`,unresolved:e=>`unresolved readiness questions must be classified${e}`,"no reason":e=>`deferred_nonblocking readiness items require a reason${e}`,"not ready":e=>`readiness.md must check 'Ready to implement'${e}`,"open gates":e=>`completion gates must be checked before completed: ${e}`,"no sections":e=>`conclusion.md is missing required sections: ${e}`,"not one outcome":()=>"conclusion.md must declare exactly one final outcome","blocked outcome":()=>"conclusion.md outcome cannot be completed while blocked",placeholders:()=>"conclusion.md must not contain unresolved placeholders before completed","primary unnamed":()=>"conclusion.md must reference the primary deliverable","unknown event":e=>`unknown event ${e}`,"no reply":()=>"reply_to is required after initialized","reply to none":()=>"reply_to must point to an earlier event","no time":()=>"at must be an ISO-8601 timestamp","time runs back":()=>"at must not be earlier than the previous event","wrong phase":(e,t)=>`${e} is not allowed from phase ${t}`,"not listed":e=>`${e} participant is not listed in protocol.json`,reserved:(e,t,o)=>`${e} is reserved for ${t}; got ${o}`,"not first":()=>"initialized must be seq 1","not drafted":()=>"proposal_submitted requires prior primary deliverable_drafted","no reviewer":()=>"proposal_submitted requires at least one reviewer","not classified":()=>"decision_accepted requires question_classified after the latest proposal or decision","frozen before":()=>"deliverable_revised is not allowed after deliverable_frozen","frozen twice":()=>"primary deliverable can be frozen only once","not frozen":()=>"readiness_passed requires primary deliverable_frozen","readiness not passed":()=>"completed requires a prior readiness_passed event","no conclusion":()=>"completed must reference conclusion.md","no phase before":()=>"unblocked has no phase to go back to: nothing was initialized before blocked","no role":()=>"deliverable events require role","no doc":()=>"deliverable events require doc","not the primary":()=>"doc must reference the primary deliverable","not a supporting one":()=>"doc must reference a declared supporting deliverable","no hash":()=>"deliverable_frozen requires sha256","not acp":()=>"protocol.json protocol must be 'acp'","schema version":()=>"protocol.json schemaVersion must be 2",phase:e=>`currentPhase must be one of [${e}]`,"no objective":()=>"protocol.json objective must not be blank",participants:()=>"protocol.json participants must not be empty","no gates":()=>"protocol.json completionGates must not be empty","a version":()=>"protocol.json must not include a protocol version field","no key":e=>`protocol.json ${e} must be present`,"gate form":e=>`completionGates[${e}] must include source and text`,"obsolete file":e=>`completion gate must not reference obsolete file ${e}`,"no primary":()=>"protocol.json deliverables.primary is required","root given":()=>"repoRoot is not allowed for internal deliverables",mode:()=>"deliverables.mode must be internal or external","no root":()=>"repoRoot is required for external deliverables","absolute root":()=>"repoRoot must be relative","not inside root":()=>"collaboration folder must be inside repoRoot","no dir":()=>"deliverables.dir is required","leads out":e=>`${e} must be relative and must not contain ..`,type:e=>`${e} deliverable type is invalid`,"not Markdown":e=>`${e} deliverable file must be Markdown`,"no checklist":()=>"custom primary deliverable requires checklist","primary again":()=>"supporting deliverable must not reuse the primary deliverable file","same file":()=>"supporting deliverable files must be unique","no object":()=>"attachments must be objects","no attachment":()=>"attachment file is required"};function a(e,...t){return{code:e,text:Ct[e](...t)}}function At(e){return e.map(({text:t})=>t)}function be(e,...t){return e.some(({code:o})=>t.includes(o))}function y(e,t){return t!==void 0?{code:t,text:`${a(t).text}: ${e}`}:{text:`invalid protocol.json: ${e}`}}var Tt=["resolved","deferred_nonblocking","blocking","unresolved"];function xe(e){return k(e).filter(({mark:t})=>/^[A-Za-z_]+$/.test(t)).map(({mark:t,text:o})=>({status:t,text:o}))}function Et(e){return ze(e," before decision_accepted"," before decision_accepted")}function qt(e){let t=" before readiness_passed or completed",o=k(e).some(Jt);return[...ze(e,t,""),...o?[]:[a("not ready",t)]]}function ye(e,t){let o=new Set(k(e).filter(Ue).map(({text:n})=>n.trim())),r=t.filter(n=>!o.has(n.trim()));return r.length===0?[]:[a("open gates",r.join(", "))]}function Le(e){return xe(e).some(({status:t,text:o})=>t==="deferred_nonblocking"&&!/reason:/i.test(o))}function ze(e,t,o){let r=xe(e),n=[];return r.some(({status:i})=>i==="blocking")&&n.push(a("blocking",t)),r.some(Nt)&&n.push(a("unresolved",t)),Le(e)&&n.push(a("no reason",o)),n}function Nt({status:e,text:t}){return e==="unresolved"||Tt.includes(e)&&t.includes("TBD")}function Ue({mark:e}){return e==="x"||e==="X"}function Jt(e){return Ue(e)&&e.text.startsWith("Ready to implement")}var D=["drafting","reviewing","revising","decision_review","readiness_check","completed","blocked"];var It=["deliverable_drafted","deliverable_revised","deliverable_frozen"];function _t(e){return{settings:e,seq:0,phase:"new",owner:"",waitingFor:[],startedAt:"",lastAt:"",last:null,proposalSeq:0,classified:!1,accepted:[],readinessPassed:!1,drafted:!1,frozen:null,supportingFrozen:[],staleAcceptances:[],blocked:null,faults:[],faultsCount:0}}function we(e){return[...e].sort((t,o)=>Mt(t,o))}function Mt(e,t){let[o,r]=[[...e],[...t]],n=o.findIndex((i,s)=>i!==r[s]);return n===-1?o.length-r.length:(o[n]?.codePointAt(0)??0)-(r[n]?.codePointAt(0)??-1)}function Bt(e){return we(e.settings.participants.filter(t=>t!==e.owner))}function Gt(e){return we(e.settings.participants)}function Fe(e){return ve(e.join(", "))}function Lt(e){let t=["protocol.json",{bytes:0}];return new Map([t,...e])}var J=".gate-evidence.jsonl";function We({gates:e,raw:t}){let o=Array.isArray(t.gateChecks)?t.gateChecks:[],r=new Map(o.flatMap(n=>{if(!d(n))return[];let{gate:i,check:s}=n,l=typeof s=="string"?N(s):void 0;return typeof i=="string"&&l!==void 0&&!("fault"in l)?[[i.trim(),l]]:[]}));return e.map(n=>({text:n,spec:r.get(n.trim())}))}function He(e,t){let o=t.get("readiness.md")?.text??"",r=Ut(t.get(J)?.text??"");return We(e).map(n=>{let{text:i,spec:s}=n,l=r.get(i.trim()),f=s!==void 0&&l?.record.spec===V(s),m=ye(o,[i]).length===0;return{...n,ticked:m,evidence:f?l:void 0}})}function zt(e){return`${JSON.stringify(e)}
`}function Ut(e){let t=new Map;for(let o of e.split(`
`)){let r=Wt(o),n=he(r?.record),{gate:i,by:s,at:l}=r??{};n===void 0||typeof i!="string"||typeof s!="string"||typeof l=="string"&&t.set(i.trim(),{gate:i,by:s,at:l,record:n})}return t}function Wt(e){if(e!=="")try{let t=S(e,"it");return d(t)?t:void 0}catch{return}}function Ve({owner:e},{text:t,spec:o,ticked:r,evidence:n}){let i=O(t,500);if(n===void 0){if(!r)return`NOT met: ${i}`;let A=o===void 0?"":`; its check: ${O(V(o),300)}`;return`met: ${i} (ticked by ${Fe([e])}, not run${A})`}let{record:s,by:l,at:f}=n,m=s.exit===void 0?"":`, exit ${s.exit}`,p=`${O(s.spec,300)}${m}, seen by a script of ${O(l,128)} at ${O(f,40)}`;return s.met?r?`met: ${i} (${p})`:`NOT met: ${i} (not ticked; ${p})`:`NOT met: ${i} (its check fails: ${p})`}function Ht(e,t){let{phase:o,readinessPassed:r,settings:n,owner:i}=e;return o!=="completed"&&!r?[]:He(n,t).filter(({spec:s,evidence:l})=>s!==void 0&&l?.record.met!==!0).map(s=>({rule:"gate",text:`gate ${Ve(e,s)}`,fixers:[i]}))}var Vt=["Draft","In Review","Frozen"];function Q(e){let t=e.deliverables;if(!d(t)||!d(t.primary))return;let o=I(t.dir),r=Qe(t.primary,o);if(r.file==="")return;let n=P(t.supporting).filter(d),i=P(t.attachments).filter(d);return{mode:t.mode==="external"?"external":"internal",dir:o,primary:r,supporting:n.map(s=>Qe(s,o)),attachments:i.map(s=>I(s.file)).filter(s=>s!==""),repoRoot:I(e.repoRoot)}}function Qt(e){return T(e,/^Status:/).find(o=>Vt.some(r=>r===o))??""}function h({deliverables:e}){return e===null?"":v(e,e.primary)}function v({mode:e},{path:t,file:o}){return e==="external"?`external:${o}`:t}function Se({dir:e},t){return Ke(e,t)}function $e({mode:e,repoRoot:t}){return e==="external"?$(t):0}function $(e){let t=0,o=0;for(let r of Oe(e))r!==".."?o+=1:o>0?o-=1:t+=1;return o===0&&!e.startsWith("/")?t:void 0}function Qe(e,t){let o=I(e.file);return{type:I(e.type),file:o,path:Ke(t,o),checklist:je(e.checklist),frozen:!!e.frozen}}function je(e){return P(e).filter(o=>typeof o=="string").map(o=>o.trim()).filter(o=>o!=="")}function Ke(e,t){return[...Oe(e),...Oe(t)].join("/")}function Oe(e){return e.split("/").filter(t=>t!==""&&t!==".")}function I(e){return typeof e=="string"?e:""}function P(e){return Array.isArray(e)?e:[]}var Xe=["proceed","do_not_proceed","defer"],Ze={1:["Decision Outcome","Rationale","Accepted Decisions","Implementation Approach","Assumptions","Deferred Follow-ups","Implementation Blockers","Next Action"],2:["Decision Outcome","Rationale","Deliverable Receipt","Accepted Decisions Summary","Readiness Result","Assumptions","Deferred Follow-ups","Implementation Blockers","Next Action"]},Kt=/(?<![\p{L}\p{N}_])(?:TBD|TODO|unresolved|\u5f85\u5b9a)(?![\p{L}\p{N}_])/iu;function _(e){return Ze[e]}function Xt(e,t){let o=[],r=et(e),n=Ze[t.schema].filter(s=>!r.has(s));n.length>0&&o.push(a("no sections",n.join(", ")));let i=Ye(e);return i.length!==1?o.push(a("not one outcome")):i[0]==="blocked"&&o.push(a("blocked outcome")),K(e)&&o.push(a("placeholders")),t.schema===2&&!e.includes(h(t))&&o.push(a("primary unnamed")),o}function Ye(e){let t=[...Xe,"blocked"];return k(e).filter(({mark:o,text:r,spaced:n})=>t.includes(o)&&n&&r!=="").map(({mark:o})=>o)}function K(e){return Kt.test(e)}function et(e){return new Set(T(e,/^##(?=\s|$)/))}function M(e){let t=e.deliverables;if(!d(t)||!d(t.primary))return[a("no primary")];let o=t.primary;return[...Zt(t.mode,e),...Yt(t.dir),...tt("primary",o),...eo(o),...to(t.supporting,o.file),...oo(t.attachments)]}function C(e){return!e.startsWith("/")&&!e.split("/").includes("..")}function Zt(e,t){let o=t.repoRoot;return e==="internal"?Object.hasOwn(t,"repoRoot")?[a("root given")]:[]:e!=="external"?[a("mode")]:typeof o!="string"||o.trim()===""?[a("no root")]:o.startsWith("/")?[a("absolute root")]:$(o)!==void 0?[]:[a("not inside root")]}function Yt(e){return typeof e!="string"||e.trim()===""?[a("no dir")]:C(e)?[]:[a("leads out","deliverables.dir")]}function tt(e,{type:t,file:o}){let n=typeof t=="string"&&E(t)?[]:[a("type",e)];return typeof o!="string"||!o.endsWith(".md")?[...n,a("not Markdown",e)]:C(o)?n:[...n,a("leads out",`${e} deliverable file`)]}function eo({type:e,checklist:t}){return e!=="custom"||je(t).length>0?[]:[a("no checklist")]}function to(e,t){let o=Array.isArray(e)?e.filter(d):[],r=new Set;return o.flatMap(n=>{let i=n.file,s=tt("supporting",n);return typeof i!="string"||(i===t?s.push(a("primary again")):r.has(i)&&s.push(a("same file")),r.add(i)),s})}function oo(e){return(Array.isArray(e)?e:[]).flatMap(o=>{if(!d(o))return[a("no object")];let r=o.file;return typeof r!="string"||r.trim()===""?[a("no attachment")]:C(r)?[]:[a("leads out","attachment file")]})}function ot(e){let t=e.deliverables;if(!d(t))return;let r=[t.primary,...P(t.supporting),...P(t.attachments)].map(p=>d(p)?p.file:void 0),n=[t.dir,e.repoRoot,...r].filter(p=>typeof p=="string"),i=n.find(p=>!w(p)||p.includes("\\"));if(i!==void 0)return y(`${c(i)} cannot be a path: write plain names with slashes between`);let s=M(e).find(p=>be([p],"leads out","not inside root"));if(s!==void 0)return{code:s.code,text:`${s.text}: correct protocol.json`};let l=n.find(p=>p.split("/").some(A=>ro(A)));if(l!==void 0)return y(`${c(l)} is, or lies in, what programs keep for themselves: move it`);let m=typeof e.repoRoot=="string"&&($(e.repoRoot)??0)>0?r.find(p=>no(t.dir,p)):void 0;return m===void 0?void 0:y(`deliverable ${c(m)} has the name of a file of the protocol: rename it`)}function X(e){return/^\.(?!\.?$)./.test(e)}function Re(e){return/^(?:claude(?:\.local)?|gemini|agents?(?:\.override)?|qwen|crush|skill)\.md[ .]*$/i.test(e)}function ro(e){return/^\.(?:git|consulta|claude|gemini|agents|codex|opencode|cursor|github)[ .]*$/i.test(e)||Re(e)}function no(e,t){return typeof e=="string"&&/^(?:\.?\/)*\.?$/.test(e)&&typeof t=="string"&&/^(?:\.\/)*[a-z]+\.(?:md|json|jsonl)$/i.test(t)&&io.includes(t.replace(/^(?:\.\/)+/,"").toLowerCase())}var io=["protocol.json","events.jsonl","readme.md","proposal.md","review.md","decisions.md","readiness.md","conclusion.md"];var so=["currentPhase","proposalOwner","waitingFor","updatedAt"];function Z(e){if(e===void 0)return rt("protocol.json is missing: it names the participants and the completion gates; restore it, or run init in another folder");let t=co(e);return typeof t=="string"?rt(t):ao(Object.fromEntries(Object.entries(t).filter(([o])=>!so.includes(o))))}function ao(e){let{participants:t,objective:o,createdAt:r,completionGates:n}=e,i=Y(e),s=st(t);return{schema:i,fault:nt(e)?.text??"",participants:"text"in s?[]:s,objective:typeof o=="string"?o:"",gates:mo(n),createdAt:typeof r=="string"?r:"",deliverables:(i===2?Q(e):void 0)??null,raw:e}}function nt(e){let t=st(e.participants);return po(e)??("text"in t?t:Y(e)===2?ot(e):void 0)}function lo(e){let{fault:t}=e;return typeof t=="string"&&t!==""?t:void 0}function rt(e){return{schema:1,fault:e,participants:[],objective:"",gates:[],createdAt:"",deliverables:null,raw:{}}}function co(e){let t="restore protocol.json from a copy, or run init in another folder";if(e.trim()==="")return`invalid protocol.json: it is empty, expected an object; ${t}`;try{let o=S(e,"it");return ue(o)?o:`invalid protocol.json: it is ${c(o)}, expected an object; ${t}`}catch(o){if(!(o instanceof g))throw o;return`invalid protocol.json: ${o.message}; ${t}`}}function Y(e){return"schemaVersion"in e||it(e)!==void 0?2:1}function it(e){return e.protocol==="acp"?"protocol":"deliverables"in e?"deliverables":void 0}function po(e){let{schemaVersion:t}=e,o=it(e);if(t===2||t===void 0&&o===void 0)return;let r=t===void 0?`it is missing beside ${o}`:`it is ${c(t)}`;return y(`${r}${t===void 0?"":" (none means schema 1)"}; correct it, or update Consulta if a newer one wrote it`,"schema version")}function st(e){let t='expected a list such as [{"id": "claude"}, {"id": "gemini"}]';if(e===void 0||!Array.isArray(e)||e.length===0){let n=e===void 0?"there are none":`it is ${c(e)}`;return y(`${n}, ${t}; correct it`,"participants")}if(e.length>u.collaborationParticipants)return y(`participants has ${e.length} entries, expected at most ${u.collaborationParticipants}; split the group`);let o=e.map(De),r=o.findIndex(n=>typeof n!="string"||!Pe(n));return r!==-1?y(`participants[${r}] is ${c(e[r])}, expected a name of 1 to ${u.collaborationNameCharacters} characters without control characters, as "NAME" or {"id": "NAME"}; correct it`):[...new Set(o.filter(n=>n!==void 0))]}function fo({participants:e},t){if(e.includes(t))return;let o=e.map(r=>c(r)).join(", ");return`participant ${c(t)} is not listed in protocol.json: give one of ${o} with --participant`}function De(e){let t=d(e)?e.id:e;return typeof t=="string"?t:void 0}function Pe(e){return e.trim()!==""&&e.length<=u.collaborationNameCharacters&&w(e)}function mo(e){return Array.isArray(e)?e.flatMap(t=>{let o=d(t)?t.text:t;return typeof o=="string"?[o]:[]}):[]}var ee=["state.log","discussion.md","opinions.md"];function uo(e){let t=Y(e),o=Array.isArray(e.completionGates)?e.completionGates:[];return[...t===2?go(e):[],...ho(e.currentPhase),...bo(e,o),...t===1&&Object.hasOwn(e,"version")?[a("a version")]:[],...o.flatMap((r,n)=>xo(r,n,t)),...["waitingFor","proposalOwner"].filter(r=>!Object.hasOwn(e,r)).map(r=>a("no key",r)),...t===2?M(e):[]]}function Ce(e){return ee.filter(t=>e.includes(t)).sort()}function go({protocol:e,schemaVersion:t}){let o=[];return e!=="acp"&&o.push(a("not acp")),t!==2&&o.push(a("schema version")),o}function ho(e){if(D.some(o=>o===e))return[];let t=[...D].sort().map(o=>`'${o}'`);return[a("phase",t.join(", "))]}function bo({objective:e,participants:t},o){let r=[];return(typeof e!="string"||e==="")&&r.push(a("no objective")),(!Array.isArray(t)||!t.some(n=>De(n)!==void 0))&&r.push(a("participants")),o.length===0&&r.push(a("no gates")),r}function xo(e,t,o){let r=o===2?yo(e):e;return typeof r!="string"?o===2?[a("gate form",String(t+1))]:[]:Ce(r).map(n=>a("obsolete file",n))}function yo(e){if(!d(e))return;let{source:t,text:o}=e;if(!(t!=="objective"&&t!=="generated"))return typeof o=="string"&&o.trim()!==""?o:void 0}function vo(e){let t=wo(e);if(!D.some(o=>o===t))return`protocol.json currentPhase must be one of [${D.map(o=>`'${o}'`).join(", ")}]: it is ${c(t)}; the rest here follows from events.jsonl; validate --repair writes it anew`}function wo(e){try{let t=S(e,"protocol.json");return d(t)?t.currentPhase:void 0}catch(t){if(t instanceof g)return;throw t}}function Te(e){let{primary:t}=e;return{...e,objective:e.objective.trim(),participants:[...new Set(Ae(e.participants))],gates:Ae(e.gates),gateChecks:(e.gateChecks??[]).map(o=>o.trim()),...t===void 0?{}:{primary:{type:t.type,file:So(t),checks:Ae(t.checks)},mode:e.mode??"internal",dir:(e.dir??"deliverables").trim()}}}function at(e){let t=Te(e),{objective:o,participants:r,gates:n,createdAt:i,strict:s=!1}=t,l=r[0]??"",f={objective:o,participants:r.map(p=>({id:p})),currentPhase:"drafting",proposalOwner:l,waitingFor:[l],createdAt:i,updatedAt:i,...s?{strict:s}:{},...Fo(t)};if(t.primary===void 0)return{...f,completionGates:[...n]};let m=ko(t,t.primary,l);return{...f,...m,protocol:"acp",schemaVersion:2,objectiveGates:[...n],completionGates:[...n.map(p=>({source:"objective",text:p})),...Oo(m).map(p=>({source:"generated",text:p}))]}}function Fo({gates:e,gateChecks:t=[]}){let o=e.flatMap((r,n)=>{let i=t[n]??"";return i===""?[]:[{gate:r,check:i}]});return o.length===0?{}:{gateChecks:o}}function ko(e,t,o){let{mode:r="",dir:n="",repoRoot:i}=e,{type:s,file:l="",checks:f}=t;return{deliverables:{mode:r,dir:n,owner:o,coAuthors:[],primary:{type:s,file:l,checklist:[...f]},supporting:[],attachments:[]},...r==="external"?{repoRoot:i??""}:{}}}function Oo(e){let t=Q(e);if(t===void 0)return[];let{primary:o}=t;return[`Primary deliverable exists: \`${v(t,o)}\``,`Primary deliverable has required \`${o.type}\` sections`,"Every accepted decision has `Reflected in`","Every accepted decision is reflected in the primary deliverable","Primary deliverable status is `Frozen`","Primary deliverable SHA-256 snapshot recorded"]}function So({type:e,file:t=""}){return t.trim()!==""?t.trim():e==="custom"?"":`${e}.md`}function Ae(e){return e.map(t=>t.trim()).filter(t=>t!=="")}function lt(e){let t=Te(e),o=[...t.objective===""?["--objective must not be blank"]:[],...$o(t),...jo(t.gates),...Ro(t),...t.primary===void 0?Po(e):Co(t)];return o.length>0?{ok:!1,reasons:o}:{ok:!0,raw:at(t)}}function $o({participants:e,primary:t}){let o=[];t!==void 0&&e.length<2?o.push("at least two non-blank --participant values are required"):e.length===0&&o.push("at least one non-blank --participant is required"),e.length>u.collaborationParticipants&&o.push(`${e.length} participants were named, at most ${u.collaborationParticipants} can take part; split the group`);let r=e.filter(n=>!Pe(n));return[...o,...r.map(n=>`--participant ${c(n)} must be 1 to ${u.collaborationNameCharacters} characters on one line, without control characters`)]}function jo(e){return e.length===0?["at least one non-blank --completion is required"]:[...e.length>u.listItems?[`${e.length} gates were given, at most ${u.listItems} can be`]:[],...e.flatMap(o=>[...Ce(o).map(r=>`completion gate must not reference obsolete file ${r}: ${c(o)}; name what must be true, not a file that the protocol forbids`),...mt(o)?[]:[`--completion ${c(o)} must be one line of text`]])]}function Ro({gates:e,gateChecks:t=[]}){return t.length>e.length?[`${t.length} --gate-check for ${ke(e.length,"gate")}: the first belongs to the first --completion, and so on; give "" for a gate that a person judges`]:t.flatMap(o=>{if(o==="")return[];let r=N(o);return"fault"in r?[`--gate-check ${c(o)}: ${r.fault}`]:[]})}var Do=new Set(["--completion","--gate-check"]);function Po({mode:e,dir:t,repoRoot:o}){return Object.entries({"--deliverables-mode":e,"--deliverables-dir":t,"--repo-root":o}).filter(([,n])=>n!==void 0).map(([n])=>`${n} needs --primary-deliverable-type`)}function Co(e){let{type:t="",file:o="",checks:r=[]}=e.primary??{},n=[];if(!E(t)){let i=G.join(", ");n.push(`primary deliverable type is invalid: ${c(t)}; choose one of ${i}`)}t==="custom"&&o===""&&n.push("custom deliverables require --primary-deliverable-file"),t==="custom"&&r.length===0&&n.push("custom deliverables require at least one --primary-deliverable-check");for(let i of r.filter(s=>!mt(s)))n.push(`--primary-deliverable-check ${c(i)} must be one line of text`);return[...n,...o===""?[]:Ao(o,e),...To(e.dir??""),...Eo(e)]}function Ao(e,{mode:t,dir:o=""}){return e.endsWith(".md")?C(e)?ft(e)?e.split("/").some(X)?[`primary deliverable file ${pt}: ${c(e)}`]:e.split("/").some(Re)?[`primary deliverable file must not be what AI CLIs take for instructions: ${c(e)}`]:ct.has(Se({dir:o},e).toLowerCase())?[`primary deliverable file must not be ${e}, which the protocol writes itself`]:K(t==="external"?e:`${o}/${e}`)?[`primary deliverable file must not have TBD, TODO or unresolved as a word: ${c(e)}; conclusion.md must name it and must not contain these words`]:[]:[`primary deliverable file ${dt}: ${c(e)}`]:["primary deliverable file must be relative and must not contain .."]:["primary deliverable file must end with .md"]}function To(e){if(e==="")return["--deliverables-dir must not be blank"];if(!C(e))return["--deliverables-dir must be relative and must not contain .."];if(!ft(e))return[`--deliverables-dir ${dt}: ${c(e)}`];let t=e.split("/");if(t.some(X))return[`--deliverables-dir ${pt}: ${c(e)}`];let o=t.find(r=>ct.has(r.toLowerCase()));return o===void 0?[]:[`--deliverables-dir must not be ${o}, a file of the protocol`]}function Eo({mode:e,repoRoot:t}){return e==="internal"?t===void 0?[]:["--repo-root is only allowed when --deliverables-mode external"]:e!=="external"?["--deliverables-mode must be internal or external"]:t===void 0||t.trim()===""?["--repo-root is required when --deliverables-mode external"]:t.startsWith("/")?["--repo-root must be relative to the collaboration folder"]:$(t)!==void 0?[]:[`--repo-root must lead straight up to the repository, such as ../..: ${c(t)}`]}var ct=new Set(["protocol.json","events.jsonl","README.md","proposal.md","review.md","decisions.md","readiness.md","conclusion.md",...ee].map(e=>e.toLowerCase())),pt="must not be hidden, where programs keep their own files",dt="must be made of plain names with slashes between them";function ft(e){return w(e)&&!/[\\:*?"<>|`]/.test(e)}function mt(e){return e.length<=u.itemCharacters&&w(e)}function ut(e){return{"README.md":qo(e),"proposal.md":No(e),"decisions.md":Jo,"readiness.md":Io(e),"conclusion.md":_o()}}function b(e,t){return e.length===0?"- None.":e.map(o=>`- ${t(o)}`).join(`
`)}var Ee="Rules:\n- Run `next-action` to learn what is expected of you, do it, run `append-event`, then\n  `wait-for-turn`; repeat until the phase is completed or blocked.\n- Only those named in `waitingFor` may take the next step. The proposal owner edits nothing while\n  the others review.\n- Never edit `events.jsonl` or `protocol.json` by hand; a mistake is corrected by another event.\n- Run `validate` before `readiness_passed` and before `completed`.\n- `completed` names `conclusion.md`, and every completion gate is checked in `readiness.md` by then.",qe="Give every question a line of its own that begins with a dash and one of these marks:\n- `[resolved]` and the answer.\n- `[deferred_nonblocking]`, what waits, and `Reason: ...` in the same line.\n- `[blocking]` and what has to happen first. Nobody can accept the decision while one is left.",Ne="Keep one line of the form dash, mark, reason. The mark is one of:\n- `[proceed]`: implement now.\n- `[do_not_proceed]`: do not implement.\n- `[defer]`: only after the follow-ups named below.\n- `[blocked]`: no outcome yet; it cannot be completed like this.";function qo({objective:e,participants:t,gates:o}){return`# Agent Collaboration Workspace

Objective:
${e}

Participants:
${b(t,r=>`\`${r}\``)}

Completion Gates:
${b(o,r=>r)}

Protocol Files:
- \`protocol.json\`: the settings and where the collaboration stands.
- \`events.jsonl\`: what happened, one event a line; scripts append to it.
- \`proposal.md\`: the proposal as it stands now.
- \`review.md\`: one review for each \`review_submitted\` event, under a heading with its seq.
- \`decisions.md\`: what was accepted, nothing else.
- \`readiness.md\`: every open question with its class, the gates, and whether work can begin.
- \`conclusion.md\`: the final answer to the objective.

${Ee}
`}function No({objective:e}){return`# Proposal

## Purpose

${e}

## Current Proposal

TBD: what is proposed, complete enough that a reader of this file alone can judge it.

## Message/API Contracts

TBD: interfaces, formats and names that others will rely on; "None." if there are none.

## Operational Concerns

TBD: failure, load, migration, security, cost.

## Open Questions

- TBD: what the reviewers should answer; each goes to readiness.md later.

## Proposed Decisions

- TBD: one line for each decision that you ask the others to accept.
`}var Jo=`# Decisions

Write down what was accepted, one decision an entry. Open questions belong in readiness.md.

## Accepted Decisions

- TBD.
`;function Io({gates:e}){return`# Readiness

The proposal owner keeps this file. Every open question is classified here before a decision.

## Open Question Classification

- [unresolved] TBD. Replace this line by one line for each open question.

${qe}

## Blocking Issues

- None.

## Deferred Follow-ups

- None.

## Completion Gates

Put an x between the brackets once a gate is met, and leave its words as they are.

${b(e,t=>`[ ] ${t}`)}

## Final Design Document Checklist

- [ ] Accepted Decisions
- [ ] Assumptions
- [ ] Deferred Follow-ups
- [ ] Implementation Blockers
- [ ] Ready to implement
`}function _o(){let[e,...t]=_(1);return`# Conclusion

The final answer to the objective, written once readiness has passed. Fill in every section; none of
the marks that stand there now may be left.

## ${e}

- [blocked] TBD

${Ne}

${t.map(o=>`## ${o}

TBD: ${Je[o]}
`).join(`
`)}`}var Je={Rationale:"why this outcome, with the arguments that settled it.","Accepted Decisions":"the decisions of decisions.md that carry the outcome.","Implementation Approach":"how it is done, step by step, or why it is not done.","Accepted Decisions Summary":"the decisions by their ids, in a line each.",Assumptions:"what was taken for true without a check.","Deferred Follow-ups":'what is left for later, with the reason; "None." if nothing is.',"Implementation Blockers":'what stops the work; "None." if nothing does.',"Next Action":"who does what first."};function gt(e,t){return{"README.md":Bo(e,t),"proposal.md":Go(e),"decisions.md":Lo(e,t),"readiness.md":zo(e,t),"conclusion.md":Uo(e,t)}}function ht({primary:e}){let{type:t,checklist:o}=e,r=t==="custom"?o:L(t)??[];return`# ${Mo[t]??"Deliverable"}

Deliverable type: \`${t}\`
Status: Draft

<!-- Fill in every section. The status becomes In Review, and Frozen before deliverable_frozen. -->

${r.map(n=>`## ${n}
`).join(`
`)}`}var Mo={adr:"Architecture Decision Record","design-spec":"Design Spec","implementation-plan":"Implementation Plan","decision-memo":"Decision Memo","review-report":"Review Report","test-plan":"Test Plan",custom:"Custom Deliverable"};function Bo(e,{mode:t,dir:o,primary:r,repoRoot:n}){let{objective:i,participants:s}=e,l=t==="external"?` below the repository \`${n}\``:"";return`# ACP Collaboration Workspace

Objective:
${i}

Participants:
${b(s,f=>`\`${f}\``)}

Objective Gates:
${b(Ie(e,"objective"),f=>f)}

Primary Deliverable:
- Type: \`${r.type}\`
- Path: \`${h(e)}\`

Protocol Files:
- \`protocol.json\`: the settings (schema 2), what is delivered, and where the collaboration stands.
- \`events.jsonl\`: what happened, one event a line; scripts append to it.
- \`proposal.md\`: what is proposed and what changed since the last time.
- \`review.md\`: one review for each \`review_submitted\` event, under a heading with its seq.
- \`decisions.md\`: the accepted decisions, numbered, each with where it is reflected.
- \`readiness.md\`: every open question with its class, the gates, and the snapshot of the freeze.
- \`conclusion.md\`: the final receipt; it names the frozen deliverable.
- \`${o}/\`${l}: the deliverables themselves.

${Ee}
- Events about the deliverable name it exactly as above: \`--doc ${h(e)}\`.
`}function Go(e){return`# Proposal

## Purpose

${e.objective}

## Current Proposal

TBD: what is proposed, in short; the deliverable holds the whole.

## Deliverable Draft

- Primary: \`${h(e)}\`

## Review Focus

- Proposal coherence.
- Primary deliverable completeness.
- Accepted decision traceability.
- Implementation readiness.
`}function Lo(e,{primary:t}){let o=h(e),r=t.type==="custom"?t.checklist[0]:L(t.type)?.[0];return`# Decisions

Write down what was accepted, numbered without gaps. Every entry has a heading D, its number, a dot
and a title, and the lines Decision, Rationale and Reflected in; the last names the deliverable.

## Accepted Decisions

### D1. Initial deliverable declaration

- Decision: The primary deliverable of this collaboration is \`${o}\`.
- Rationale: What is decided here must stand in a document that outlives the discussion.
- Reflected in: \`${o}#${Vo(r??"")}\`
`}function zo(e,t){let{supporting:o,attachments:r}=t,n=o.map(s=>v(t,s)),i=s=>`[ ] ${s}`;return`# Readiness

The proposal owner keeps this file. Every open question is classified here before a decision.

## Open Question Classification

- [unresolved] TBD. Replace this line by one line for each open question.

${qe}

## Blocking Issues

- None.

## Objective Gates

Put an x between the brackets once a gate is met, and leave its words as they are.

${b(Ie(e,"objective"),i)}

## Generated Deliverable Gates

${b(Ie(e,"generated"),i)}

## Deliverable Snapshot

The hash of the frozen file, as \`deliverable_frozen\` recorded it.

- Primary: \`${h(e)}\`
- SHA-256:

## Supporting Deliverables

${b(n,s=>`\`${s}\``)}

## Attachments

${b(r,s=>`\`${s}\``)}

## Deferred Follow-ups

- None.

## Implementation Blockers

- None.

## Ready to Implement

- [ ] Ready to implement
`}function Uo(e,t){let[o,...r]=_(2),n={"Deliverable Receipt":Wo(e,t),"Readiness Result":Ho},i=s=>n[s]??`TBD: ${Je[s]}`;return`# Conclusion

The final receipt of the collaboration; what was worked out stands in the deliverable. Fill in every
section; none of the marks that stand there now may be left.

## ${o}

- [blocked] TBD

${Ne}

${r.map(s=>`## ${s}

${i(s)}
`).join(`
`)}`}function Wo(e,t){let{primary:o,supporting:r,attachments:n}=t,i=r.map(s=>`\`${v(t,s)}\``);return`- Primary: \`${h(e)}\`
- Type: \`${o.type}\`
- SHA-256: TBD
- Supporting: ${i.join(", ")||"none"}
- Attachments: ${n.map(s=>`\`${s}\``).join(", ")||"none"}`}var Ho="- Objective gates: TBD\n- Generated deliverable gates: TBD\n- Readiness file: `readiness.md`";function Ie({raw:e},t){return(Array.isArray(e.completionGates)?e.completionGates:[]).flatMap(r=>{if(typeof r!="object"||r===null||Array.isArray(r))return[];let{source:n,text:i}=r;return n===t&&typeof i=="string"?[i]:[]})}function Vo(e){return e.toLowerCase().replace(/[^\p{L}\p{N}\s-]/gu,"").trim().replace(/\s/g,"-")}function _e(e){let{deliverables:t}=e,o=t===null?ut(e):gt(e,t),n=Object.entries({...o,"review.md":Xo(e)}).map(([s,l])=>({path:s,text:l,up:0}));if(t===null)return n;let{path:i}=t.primary;return[...n,{path:i,text:ht(t),up:$e(t)??0}]}function bt(e){return`Context:
- Read \`proposal.md\` after event seq \`<seq>\`.
${Qo(e)}
Position:
- <accept, accept with changes, or reject; and why>

Concerns:
- <what can go wrong, with the evidence; or None.>

Required Changes:
- <what must change before you accept; or None.>

Questions:
- <what the owner must answer; or None.>
`}function Qo(e){let{deliverables:t}=e;if(t===null)return"";let r=t.supporting.map(n=>v(t,n)).map(n=>`\`${n}\``).join(", ");return`- Reviewed primary deliverable: \`${h(e)}\`
- Reviewed supporting deliverables: ${r||"none."}

Review Scope:
${b(Ko,n=>n)}
`}var Ko=["Proposal coherence","Primary deliverable completeness","Accepted decision traceability","Implementation readiness"];function Xo(e){return`# Review

One review for each \`review_submitted\` event, the newest last. \`append-event\` with \`--review FILE\`
adds it here under the right heading. Whoever writes it by hand uses the seq that the event will get,
not the one that it replies to:
\`## <ISO-8601 UTC> - <participant_id> - seq <review_submitted event seq>\`

Template:

## <timestamp> - <participant_id> - seq <event seq>

${bt(e)}`}function Zo(e,t){let o=lt({...e,createdAt:z(U(t))});if(o.ok)return o.raw;throw new g("REFUSED",o.reasons.join("; "))}async function Yo(e,t,o,r=!1){if(R(x(e.folder,"events.jsonl"))&&!vt(e))throw new g("REFUSED",`${e.folder} has an events.jsonl without protocol.json; move it away, or choose another folder`);W(e.folder);let n=`${JSON.stringify(t,void 0,2)}
`;if(!j(Ft(e),n)&&!r)throw new g("REFUSED","collaboration folder already contains protocol.json; use --resume to acknowledge it");return yt(e,t,o)}async function yt(e,t,o){let r=xt(JSON.stringify(t)),n=({text:F})=>ne(xt(F),r),i=await pe(e,"collaboration",n),s=Z(i.settings.text);if(s.fault!=="")throw new g("REFUSED",s.fault);let l=n(i.settings)?[]:[wt];j(x(e.folder,H),`{"made-by":"consulta"}
`),e.workspace===void 0&&j(x(e.folder,".gitignore"),er);let f=_e(s).filter(F=>!rr(e,F));if(!R(x(e.folder,"events.jsonl")))for(let F of[q,J])ie(x(e.folder,F));let m=tr(s,o);me(e,m.from,o);let p=await i.log.append(i.log.start,m);p!==void 0&&await ae(e,i.kind.traits.firstSeen,[m]);let A={...i,machine:i.machine.evolve(m)};return{session:p===void 0?await ce(i):await fe({...A,cursor:p},m,[]),kept:[...l,...f.map(({path:F})=>F)]}}function xt(e){return{...Z(e).raw,createdAt:""}}var er=[".gitignore",H,".checkpoint.json",".begun-*",q,J,".additions/",".commits/",le,".presence/"].map(e=>`/${e}
`).join("");function tr({participants:e,schema:t},o){return{seq:1,from:e[0]??"",event:"initialized",at:z(U(o)),summary:or[t],doc:"protocol.json"}}var or={1:"Collaboration workspace initialized",2:"Initialized ACP schema v2 collaboration workspace."};function rr({folder:e},{path:t,text:o,up:r}){let n=re(e,...Array(r).fill(".."));return W(n,...t.split("/").slice(0,-1)),j(se(n,t),o)}function vt(e){return R(Ft(e))}async function nr(e){if(!R(x(e.folder,"events.jsonl")))return!1;try{let{cursor:t,kind:o,settings:r}=await de(e);if(o.name!=="collaboration")throw ir(e,o.name);return t.seq>0||o.settings?.fault(r.value)!==void 0}catch(t){if(t instanceof g&&t.code!=="EXISTS")return!0;throw t}}function ir({id:e},t){let o=`session ${e} exists already and is a ${t}, no collaboration`;return new g("EXISTS",`${o}; choose another --session`)}var wt="protocol.json";function Ft({folder:e}){return x(e,wt)}return $n$=>{switch($n$){case 0:return Et;case 1:return we;case 2:return Zo;case 3:return Me;case 4:return Xt;case 5:return _;case 6:return It;case 7:return M;case 8:return _e;case 9:return Gt;case 10:return bt;case 11:return a;case 12:return yt;case 13:return q;case 14:return jt;case 15:return ee;case 16:return J;case 17:return zt;case 18:return ye;case 19:return Ve;case 20:return Ht;case 21:return Do;case 22:return He;case 23:return We;case 24:return Lt;case 25:return be;case 26:return K;case 27:return vt;case 28:return et;case 29:return _t;case 30:return nr;case 31:return X;case 32:return nt;case 33:return Le;case 34:return Fe;case 35:return Yo;case 36:return Bt;case 37:return Xe;case 38:return Ye;case 39:return fo;case 40:return Se;case 41:return D;case 42:return h;case 43:return Ge;case 44:return uo;case 45:return Be;case 46:return Z;case 47:return qt;case 48:return xe;case 49:return v;case 50:return ge;case 51:return kt;case 52:return lo;case 53:return vo;case 54:return Qt;case 55:return $t;case 56:return St;case 57:return At;case 58:return $e;}}})
