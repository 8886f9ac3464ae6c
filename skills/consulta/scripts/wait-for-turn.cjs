#!/usr/bin/env node
"use strict";
require("./run.cjs")("wait-for-turn");
