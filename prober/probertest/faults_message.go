package probertest

// messageFaults are about the JSON of any answer, and of initialize.
func messageFaults() []Fault {
	body := func(name, body string) Fault { return steps(name, "request", JSONReply(0, body)) }
	initialize := func(name, body string) Fault { return steps(name, "initialize", JSONReply(0, body)) }
	return []Fault{
		body("invalid_json", `{"jsonrpc":"2.0","id":{{id}},"result":{`),
		body("double_envelope", `{"jsonrpc":"2.0","id":{{id}},"result":{{answer}}}`),
		body("id_as_string", `{"jsonrpc":"2.0","id":"{{id}}","result":{{conforming_result}}}`),
		body("id_null", `{"jsonrpc":"2.0","id":null,"result":{{conforming_result}}}`),
		body("id_missing", `{"jsonrpc":"2.0","result":{{conforming_result}}}`),
		body("id_other", `{"jsonrpc":"2.0","id":999999,"result":{{conforming_result}}}`),
		body("duplicate_keys", `{"jsonrpc":"2.0","id":{{id}},"result":{},"result":{{conforming_result}}}`),
		body("key_case", `{"JsonRpc":"2.0","ID":{{id}},"Result":{{conforming_result}}}`),
		body("result_and_error", `{"jsonrpc":"2.0","id":{{id}},"result":{{conforming_result}},"error":{"code":-32603,"message":"boom"}}`),
		body("no_jsonrpc", `{"id":{{id}},"result":{{conforming_result}}}`),
		body("bare_result", `{{conforming_result}}`),
		body("array_envelope", `[{{answer}}]`),
		body("trailing_bytes", `{{answer}} trailing`),
		body("two_messages", "{{answer}}\n{{answer}}"),
		body("byte_order_mark", "\ufeff{{answer}}"),
		body("invalid_utf8", `{"jsonrpc":"2.0","id":{{id}},"result":{{conforming_result}},"note":"`+"\xff\xfe"+`"}`),
		body("error_everywhere", `{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32603,"message":"Internal error"}}`),
		body("error_code_as_string", `{"jsonrpc":"2.0","id":{{id}},"error":{"code":"-32603","message":"Internal error"}}`),
		initialize("no_protocol_version", `{"jsonrpc":"2.0","id":{{id}},"result":{"capabilities":{},"serverInfo":{"name":"x","version":"1"}}}`),
		initialize("no_server_info", `{"jsonrpc":"2.0","id":{{id}},"result":{"protocolVersion":"{{params.protocolVersion}}","capabilities":{"tools":{}}}}`),
		initialize("initialize_null", `{"jsonrpc":"2.0","id":{{id}},"result":null}`),
		initialize("initialize_error", `{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32602,"message":"Unsupported protocol version"}}`),
		{Name: "unknown_revision", Apply: func(s *Server) { s.Negotiated = "2099-01-01" }},
		{Name: "stream_left_open", Apply: func(s *Server) { s.Form = OpenStream }},
	}
}

// listFaults are about tools/list.
func listFaults() []Fault {
	result := func(name, raw string) Fault {
		return Fault{Name: name, Apply: func(s *Server) { s.ListResult = raw }}
	}
	paging := func(name string, p Paging) Fault {
		return Fault{Name: name, Apply: func(s *Server) { s.Paging = p }}
	}
	return []Fault{
		result("tools_null", `{"tools":null}`),
		result("tools_missing", `{}`),
		result("tools_object", `{"tools":{"a":{"inputSchema":{"type":"object"}}}}`),
		result("tools_null_entry", `{"tools":[null,{"name":"a","inputSchema":{"type":"object"}}]}`),
		result("tool_without_name", `{"tools":[{"inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}}]}`),
		result("tool_names_twice", `{"tools":[{"name":"a","inputSchema":{"type":"object"}},{"name":"a","inputSchema":{"type":"object"}}]}`),
		result("tools_empty", `{"tools":[]}`),
		steps("list_error", "tools/list", JSONReply(0, `{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32603,"message":"Internal error"}}`)),
		steps("list_not_found", "tools/list", JSONReply(0, `{"jsonrpc":"2.0","id":{{id}},"error":{"code":-32601,"message":"Method not found"}}`)),
		paging("cursor_empty_at_end", EmptyAtEnd),
		paging("cursor_empty_is_real", EmptyIsReal),
		paging("cursor_null_at_end", NullAtEnd),
		paging("cursor_same", SameCursor),
		paging("cursor_cycle", CursorCycle),
		paging("cursor_fresh", FreshCursor),
		paging("cursor_number", NumberedCursor),
		paging("tools_endless", EndlessTools),
	}
}
