// RUN: teeny-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{in expression 'A +': column 4: expected an expression, found the end}}
module attributes {test.a = #graph.expr<"A +">} {}

// -----

// expected-error @below {{expected an expression: an integer, a name, a string or ?}}
module attributes {test.a = #graph.expr<[]>} {}

// -----

// expected-error @below {{'min' is not a name for a dim}}
module attributes {test.a = #graph.dim<"min", min = 0, max = 1>} {}

// -----

// expected-error @below {{dim 'A' has no values from 2 to 1}}
module attributes {test.a = #graph.dim<"A", min = 2, max = 1>} {}

// -----

// expected-error @below {{dim 'A' cannot be a multiple of 0}}
module attributes {test.a = #graph.dim<"A", min = 0, max = 1, multipleOf = 0>} {}

// -----

// expected-error @below {{'i7' is not an element type of graphs}}
func.func private @f(!graph.tensor<[4], i7>)

// -----

// expected-error @below {{a grid has 3 sizes, found 2}}
module attributes {test.a = #graph.variant<run @k grid [1, 2] args []>} {}

// -----

// expected-error @below {{a variant needs known expressions}}
module attributes {test.a = #graph.variant<run @k grid [1, ?, 2] args []>} {}

// -----

// expected-error @below {{expected operand, result, int or real}}
module attributes {test.a = #graph.arg<pointer 0>} {}

// -----

// expected-error @below {{'graph.graph' op has two dims 'A'}}
graph.graph "g" dims [#graph.dim<"A", min = 0, max = 1>, #graph.dim<"A", min = 0, max = 1>] {
  graph.output as []
}

// -----

graph.graph "g" dims [#graph.dim<"A", min = 0, max = 1>] {
  // expected-error @below {{'graph.input' op has a size with 'B', which is no dim}}
  %x = graph.input "x" : !graph.tensor<["A + B"], f32>
  graph.output as []
}

// -----

graph.graph "g" dims [] {
  %x = graph.input "x" : !graph.tensor<[], f32>
  // expected-error @below {{'graph.input' op has the name 'x' of another}}
  %y = graph.input "x" : !graph.tensor<[], f32>
  graph.output as []
}

// -----

// expected-error @below {{'graph.graph' op must end with graph.output}}
graph.graph "g" dims [] {
  %x = graph.input "x" : !graph.tensor<[], f32>
}

// -----

graph.graph "g" dims [] {
  %x = graph.input "x" : !graph.tensor<[], f32>
  // expected-error @below {{'graph.output' op has 1 tensors and 2 names}}
  graph.output %x as ["x", "y"] : !graph.tensor<[], f32>
}

// -----

graph.graph "g" dims [] {
  // expected-error @below {{'graph.call' op calls @missing, which is not declared}}
  %x = graph.call "x" @missing() {} : () -> !graph.unknown
  graph.output as []
}

// -----

graph.op @op dtypes {} {
  graph.declare input "x" : "f32" [N]
  graph.declare output "y" : "f32" [N]
  graph.attribute "a" : int
}
graph.graph "g" dims [] {
  %x = graph.input "x" : !graph.tensor<[4], f32>
  // expected-error @below {{'graph.call' op has no value for attribute 'a'}}
  %y = graph.call "y" @op(%x) {} : (!graph.tensor<[4], f32>) -> !graph.unknown
  graph.output as []
}

// -----

graph.op @op dtypes {} {
  graph.declare input "x" : "f32" [N]
  graph.declare output "y" : "f32" [N]
}
graph.graph "g" dims [] {
  // expected-error @below {{'graph.call' op has 0 operands and 2 results, @op declares 1 and 1}}
  %z:2 = graph.call "z" @op() {} : () -> (!graph.unknown, !graph.unknown)
  graph.output as []
}

// -----

func.func private @k()
graph.graph "g" dims [] {
  %x = graph.input "x" : !graph.tensor<[4], f32>
  // expected-error @below {{'graph.launch' op has no variants}}
  %0 = graph.launch "a" of "n"(%x) variants [] : (!graph.tensor<[4], f32>) -> !graph.tensor<[4], f32>
  graph.output as []
}

// -----

func.func private @k()
graph.graph "g" dims [#graph.dim<"A", min = 0, max = 1>] {
  %x = graph.input "x" : !graph.tensor<[4], f32>
  // expected-error @below {{'graph.launch' op has a guard on its last variant}}
  %0 = graph.launch "a" of "n"(%x) variants [#graph.variant<when "A == 1" run @k grid [1, 1, 1] args []>] : (!graph.tensor<[4], f32>) -> !graph.tensor<[4], f32>
  graph.output as []
}

// -----

func.func private @k()
graph.graph "g" dims [] {
  %x = graph.input "x" : !graph.tensor<[4], f32>
  // expected-error @below {{'graph.launch' op passes operand 1 of 1}}
  %0 = graph.launch "a" of "n"(%x) variants [#graph.variant<run @k grid [1, 1, 1] args [operand 1]>] : (!graph.tensor<[4], f32>) -> !graph.tensor<[4], f32>
  graph.output as []
}

// -----

func.func private @k()
graph.graph "g" dims [] {
  %x = graph.input "x" : !graph.tensor<[4], f32>
  // expected-error @below {{'graph.launch' op has no operand 3 to alias}}
  %0 = graph.launch "a" of "n"(%x) aliases [3] variants [#graph.variant<run @k grid [1, 1, 1] args []>] : (!graph.tensor<[4], f32>) -> !graph.tensor<[4], f32>
  graph.output as []
}

// -----

graph.graph "g" dims [] {
  // expected-error @below {{'graph.launch' op runs @missing, which does not exist}}
  graph.launch "a" of "n"() variants [#graph.variant<run @missing grid [1, 1, 1] args []>] : () -> ()
  graph.output as []
}
